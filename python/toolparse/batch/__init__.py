"""What the batch command is made of; private. In reading order:

``plan`` is what was asked for. ``inputs`` finds what is to be read, ``pieces`` cuts it into work, ``packed``,
``documents`` and ``tables`` know the kinds of file. ``pipeline`` has the pieces read by threads and keeps their order.
``encodings`` and ``columns`` say how records are written, ``claims``, ``partfile``, ``resume`` and
``signals`` make a run survive. ``run`` holds it together; ``cluster`` does the same with Ray. ``totals`` counts,
``progress`` and ``report`` show.

The text of a reply is read by the native ``BatchReader`` alone; nothing here looks into one.
"""
