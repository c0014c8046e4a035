"""What the batch command is made of; private. In reading order:

``inputs`` finds what is to be read, ``pieces`` cuts it into work, ``packed``, ``documents`` and ``tables`` know the
kinds of file, ``pipeline`` has the pieces read by threads and keeps their order, ``outputs`` and ``columns`` write,
``partfile`` and ``resume`` make a run survive, ``totals`` counts, ``progress`` and ``report`` show.

The text of a reply is read by the native ``BatchReader`` alone; nothing here looks into one.
"""
