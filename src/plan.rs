//! [`Plan`]: the rows that are read, compiled into one table of markers.

use crate::format::{Body, ControlShape, Detect, Format, Place, Shape, Think};
use crate::formats::{CONTROLS, FORMATS, THINKS};
use crate::scan::{ByteSet, PairSet};
use crate::utf8::Character;
use crate::window::Window;

/// A marker and all that it may mean.
#[derive(Debug, Clone, Default)]
pub struct Marker {
    /// Its bytes.
    pub text: &'static [u8],
    /// The rows that it opens, in the order in which they are asked.
    pub rows: Vec<usize>,
    /// The rows whose call it opens without the section around.
    pub loose: Vec<usize>,
    /// True when it opens an argument of some row.
    pub argument: bool,
    /// The reasoning block that it opens.
    pub think: Option<usize>,
    /// What it means where it opens nothing.
    pub alone: Alone,
}

/// What a marker means where it opens nothing.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Alone {
    /// Text.
    #[default]
    Text,
    /// A token that is no prose.
    Control,
    /// A closer: no prose if only other closers or the end of the reply follow.
    Tail,
    /// The end of the reply: no prose if nothing else follows.
    End,
    /// A closer that is no prose unless it stands between two blanks, as a word does.
    Word,
}

/// What stands at a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Match {
    /// A marker, by its index.
    Marker(usize),
    /// A control token of a known shape, and its length.
    Shape(usize),
    /// Nothing.
    Nothing,
}

/// The rows that are read, compiled.
#[derive(Debug)]
pub struct Plan {
    /// The rows.
    pub rows: Vec<&'static Format>,
    /// True when all that auto-detection reads are among them.
    pub auto: bool,
    /// For each row, the markers at which its values stop.
    pub stops: Vec<Vec<Vec<u8>>>,
    /// For each row, the bytes that its markers start with.
    pub firsts: Vec<Vec<u8>>,
    /// The reasoning blocks.
    pub thinks: Vec<&'static Think>,
    /// Rows that read a fence.
    pub fenced: Vec<usize>,
    /// Rows that read the whole reply.
    pub bare: Vec<usize>,
    /// Rows that read JSON at the start of a line.
    pub json_lines: Vec<usize>,
    markers: Vec<Marker>,
    /// For each first byte, the markers that start with it.
    by_start: Vec<Starts>,
    shapes: Vec<ControlShape>,
    /// Their second bytes.
    shape_seconds: ByteSet,
    /// The first two bytes of all that prose must look at.
    starts: PairSet,
    /// The same while a marker in back-ticks stands on the line: any back-tick ends that.
    quoted_starts: PairSet,
    /// First bytes of markers that count only at the start of a line.
    line_only: ByteSet,
}

/// Markers with one first byte, by their second and third bytes.
#[derive(Debug, Clone)]
struct Starts {
    /// For each second byte, one more than its group; 0 for none.
    seconds: [u8; 256],
    groups: Vec<Group>,
}

/// Markers with the same first two bytes: for each third byte, one more than its list; 0 for none.
#[derive(Debug, Clone)]
struct Group {
    thirds: [u8; 256],
    lists: Vec<Vec<MarkerEnd>>,
}

/// A marker that may stand where its first bytes do. Markers with one beginning differ at their end, which tells most of them apart without
/// a look at the markers themselves.
#[derive(Copy, Clone, Debug)]
struct MarkerEnd {
    marker: u16,
    length: u16,
    last: u8,
}

impl Default for Starts {
    fn default() -> Starts {
        Starts { seconds: [0; 256], groups: Vec::new() }
    }
}

/// The entry of `byte` in an index whose entries are one more than a place in `list`; a new one where there is none.
fn entry<'l, T>(index: &mut [u8; 256], byte: u8, list: &'l mut Vec<T>, new: impl FnOnce() -> T) -> &'l mut T {
    if index[byte as usize] == 0 {
        list.push(new());
        index[byte as usize] = list.len() as u8;
    }
    &mut list[index[byte as usize] as usize - 1]
}

impl Starts {
    fn insert(&mut self, second: u8, third: u8, marker: MarkerEnd) {
        let group = entry(&mut self.seconds, second, &mut self.groups, || Group { thirds: [0; 256], lists: Vec::new() });
        entry(&mut group.thirds, third, &mut group.lists, Vec::new).push(marker);
    }

    fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    fn follows(&self, second: u8) -> bool {
        self.seconds[second as usize] != 0
    }

    /// The markers with these bytes, longest first.
    #[inline]
    fn of(&self, second: u8, third: u8) -> &[MarkerEnd] {
        let group = match self.seconds[second as usize] {
            0 => return &[],
            group => &self.groups[group as usize - 1],
        };
        match group.thirds[third as usize] {
            0 => &[],
            list => &group.lists[list as usize - 1],
        }
    }

    fn lists(&mut self) -> impl Iterator<Item = &mut Vec<MarkerEnd>> {
        self.groups.iter_mut().flat_map(|group| &mut group.lists)
    }

    fn markers(&self) -> impl Iterator<Item = usize> {
        self.groups.iter().flat_map(|group| &group.lists).flatten().map(|end| end.marker as usize)
    }
}

/// A format name that no row has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownFormat(pub String);

impl Plan {
    /// All rows that take part in auto-detection.
    #[must_use]
    pub fn auto() -> Plan {
        let rows = FORMATS.iter().filter(|row| row.detect == Detect::Auto).collect();
        Plan::of_rows(rows, THINKS.iter().collect(), true)
    }

    /// The rows of the given names; `auto` stands for all that auto-detection reads.
    ///
    /// # Errors
    /// When a name is neither `auto` nor the name of a row.
    pub fn named<S: AsRef<str>>(names: &[S]) -> Result<Plan, UnknownFormat> {
        let mut auto = false;
        for name in names {
            let name = name.as_ref();
            auto |= name == "auto";
            if name != "auto" && !FORMATS.iter().any(|row| row.name == name) {
                return Err(UnknownFormat(name.to_owned()));
            }
        }
        let wanted = |row: &&Format| (auto && row.detect == Detect::Auto) || names.iter().any(|name| name.as_ref() == row.name);
        let rows: Vec<&Format> = FORMATS.iter().filter(wanted).collect();
        let thinks = if auto {
            THINKS.iter().collect()
        } else {
            THINKS.iter().filter(|think| rows.iter().any(|row| row.thinks.contains(&think.name))).collect()
        };
        Ok(Plan::of_rows(rows, thinks, auto))
    }

    /// These rows and reasoning blocks. Rows that share an opener are asked in their order; `auto`: all that auto-detection reads are among
    /// them.
    #[must_use]
    pub fn of(rows: Vec<&'static Format>, thinks: Vec<&'static Think>, auto: bool) -> Plan {
        Plan::of_rows(rows, thinks, auto)
    }

    fn of_rows(rows: Vec<&'static Format>, thinks: Vec<&'static Think>, auto: bool) -> Plan {
        let mut plan = Plan {
            stops: rows.iter().map(|row| stops_of(row)).collect(),
            firsts: rows.iter().map(|row| firsts_of(row)).collect(),
            fenced: indexes(&rows, |row| row.shape == Shape::Fenced),
            bare: indexes(&rows, |row| row.shape == Shape::Bare && row.place == Place::Boundary),
            json_lines: indexes(&rows, |row| row.shape == Shape::Bare && row.place == Place::LineStart),
            rows,
            thinks,
            auto,
            markers: Vec::new(),
            by_start: vec![Starts::default(); 256],
            shapes: Vec::new(),
            shape_seconds: ByteSet::new([]),
            starts: PairSet::new(&[]),
            quoted_starts: PairSet::new(&[]),
            line_only: ByteSet::new([]),
        };
        plan.add_markers(auto);
        plan.index();
        plan
    }

    fn add_markers(&mut self, auto: bool) {
        for (index, row) in self.rows.clone().into_iter().enumerate() {
            if row.shape == Shape::Fenced {
                continue;
            }
            for open in row.openers() {
                self.marker(open).rows.push(index);
            }
            if !row.section.open.is_empty() && row.loose != crate::format::Loose::Never {
                for open in row.call.open {
                    self.marker(open).loose.push(index);
                }
            }
            if let Body::Named(_, crate::format::Args::Pairs(pairs)) = row.body {
                for open in pairs.open {
                    self.marker(open).argument = true;
                }
            }
            for close in closers_of(row) {
                let alone = if is_token(close) { Alone::Control } else { Alone::Tail };
                let marker = self.marker(close);
                if marker.alone == Alone::Text {
                    marker.alone = alone;
                }
            }
        }
        for row in self.rows.clone() {
            // In auto-detection a tag that is one word is somebody's text, whatever some family wraps in it.
            for control in row.controls.iter().filter(|control| !auto || !is_one_word_tag(control)) {
                self.marker(control).alone = if is_closer(control) { Alone::Tail } else { Alone::Control };
            }
            // In auto-detection the rows with loose shapes would take away tokens that other rows show.
            if !auto || row.control_shapes.iter().all(|shape| shape.prefix != "<|") {
                for shape in row.control_shapes {
                    if !self.shapes.contains(shape) {
                        self.shapes.push(*shape);
                    }
                }
            }
        }
        for (index, think) in self.thinks.clone().into_iter().enumerate() {
            for open in think.open {
                self.marker(open).think = Some(index);
            }
            for close in think.close {
                self.marker(close).alone = if is_token(close) { Alone::Control } else { Alone::Word };
            }
        }
        for control in CONTROLS {
            self.marker(control).alone = if is_closer(control) { Alone::End } else { Alone::Control };
        }
    }

    fn marker(&mut self, text: &'static str) -> &mut Marker {
        let index = self.markers.iter().position(|marker| marker.text == text.as_bytes()).unwrap_or_else(|| {
            self.markers.push(Marker { text: text.as_bytes(), ..Marker::default() });
            self.markers.len() - 1
        });
        &mut self.markers[index]
    }

    fn index(&mut self) {
        let boundary_only = |marker: &Marker, rows: &[&Format]| {
            !marker.rows.is_empty()
                && marker.alone == Alone::Text
                && marker.think.is_none()
                && marker.rows.iter().all(|row| rows[*row].place == Place::Boundary || boundary_start(marker.text, rows[*row]))
        };
        let mut starts = Vec::new();
        for (index, marker) in self.markers.iter().enumerate() {
            if let [first, second, third, .., last] | [first, second, third @ last] = marker.text {
                let end = MarkerEnd { marker: index as u16, length: marker.text.len() as u16, last: *last };
                self.by_start[*first as usize].insert(*second, *third, end);
                if !boundary_only(marker, &self.rows) {
                    starts.push((*first, *second));
                }
            }
        }
        let shapes: Vec<(u8, u8)> = self.shapes.iter().filter_map(|shape| pair_of(shape.prefix.as_bytes())).collect();
        self.shape_seconds = ByteSet::new(shapes.iter().map(|pair| pair.1));
        starts.extend(shapes);
        starts.extend(self.thinks.iter().flat_map(|think| think.ended_by).filter_map(|marker| pair_of(marker.as_bytes())));
        starts.push((b'`', b'`'));
        let line_starts = |row: &&&Format| row.place == Place::LineStart && row.shape != Shape::Fenced;
        if self.rows.iter().filter(line_starts).any(|row| row.shape == Shape::Bare) {
            starts.push((b'\n', b'{'));
        }
        self.starts = PairSet::new(&starts);
        starts.extend((0..=255).map(|next| (b'`', next)));
        self.quoted_starts = PairSet::new(&starts);
        let at_line_start = |index: usize| {
            let marker = &self.markers[index];
            let mut opened =
                self.rows.iter().filter(|row| row.openers().iter().any(|open| marker.text.starts_with(open.as_bytes()))).peekable();
            opened.peek().is_some() && opened.all(|row| row.place == Place::LineStart)
        };
        let line_only = (0..=255_u8).filter(|byte| {
            let list = &self.by_start[*byte as usize];
            !list.is_empty() && list.markers().all(at_line_start)
        });
        self.line_only = ByteSet::new(line_only.collect::<Vec<_>>());
        for list in self.by_start.iter_mut().flat_map(Starts::lists) {
            list.sort_by_key(|end| std::cmp::Reverse(end.length));
        }
    }

    /// A marker by its index.
    #[must_use]
    pub fn get(&self, index: usize) -> &Marker {
        &self.markers[index]
    }

    /// Where the next thing stands that prose must look at: what may be a marker or a fence, or the first byte of one at the end of the
    /// text. `quoted`: back-ticks that are no fence count as well.
    #[inline]
    #[must_use]
    pub fn next_start(&self, text: &[u8], quoted: bool) -> Option<usize> {
        if quoted { self.quoted_starts.find(text) } else { self.starts.find(text) }
    }

    /// True when [`Plan::next_start`] may find something in the UTF-8 of these characters.
    #[must_use]
    pub fn may_start_in<C: Character>(&self, characters: &[C]) -> bool {
        self.starts.may_stand_in(characters)
    }

    /// True when markers that start with `byte` count only at the start of a line.
    #[must_use]
    pub fn is_line_only(&self, byte: u8) -> bool {
        self.line_only.contains(byte)
    }

    /// The longest marker at `at`. `None`: it cannot be told yet.
    #[must_use]
    pub fn find(&self, window: &Window<'_>, at: usize) -> Option<Match> {
        let Some(first) = window.get(at) else { return Some(Match::Nothing) };
        let starts = &self.by_start[first as usize];
        match window.slice(at + 1, at + 3) {
            [second, third] => {
                for end in starts.of(*second, *third) {
                    if window.get(at + end.length as usize - 1).is_some_and(|byte| byte != end.last) {
                        continue;
                    }
                    let marker = end.marker as usize;
                    if window.starts_with(at, self.markers[marker].text)? {
                        return Some(Match::Marker(marker));
                    }
                }
                if !self.shape_seconds.contains(*second) {
                    return Some(Match::Nothing);
                }
            }
            _ if window.last => {}
            [] if !starts.is_empty() => return None,
            [second] if starts.follows(*second) => return None,
            _ => {}
        }
        let head = window.slice(at, at + 3);
        for shape in self.shapes.iter().filter(|shape| shape.prefix.bytes().zip(head).all(|(one, other)| one == *other)) {
            if let Some(length) = shape_at(shape, window, at)? {
                return Some(Match::Shape(length));
            }
        }
        Some(Match::Nothing)
    }

    /// Openers that several rows share, with the names of the rows in the order in which they are asked: the collisions of auto-detection.
    pub fn collisions(&self) -> impl Iterator<Item = (&'static str, Vec<&'static str>)> + '_ {
        self.markers.iter().filter(|marker| marker.rows.len() + marker.loose.len() > 1).map(|marker| {
            let names = marker.rows.iter().chain(&marker.loose).map(|row| self.rows[*row].name).collect();
            (std::str::from_utf8(marker.text).unwrap_or_default(), names)
        })
    }
}

fn pair_of(text: &[u8]) -> Option<(u8, u8)> {
    Some((*text.first()?, *text.get(1)?))
}

/// Markers such as ` to=` start a header at a boundary only.
fn boundary_start(marker: &[u8], row: &Format) -> bool {
    matches!(row.body, Body::Messages(messages) if messages.recipient.as_bytes() == marker.trim_ascii_start())
}

fn indexes(rows: &[&'static Format], wanted: impl Fn(&Format) -> bool) -> Vec<usize> {
    rows.iter().enumerate().filter(|(_, row)| wanted(row)).map(|(index, _)| index).collect()
}

/// A control token of a known shape at `at`, and its length.
fn shape_at(shape: &ControlShape, window: &Window<'_>, at: usize) -> Option<Option<usize>> {
    if !window.starts_with(at, shape.prefix.as_bytes())? {
        return Some(None);
    }
    let inside = at + shape.prefix.len();
    let rest = window.slice(inside, inside + shape.most + shape.end.len());
    let end = shape.end.as_bytes();
    for (index, byte) in rest.iter().enumerate() {
        if rest.get(index..).is_some_and(|tail| tail.starts_with(end)) {
            return Some((index > 0).then_some(shape.prefix.len() + index + end.len()));
        }
        if index > shape.most {
            return Some(None);
        }
        if shape.without.contains(byte) {
            let tail = rest.get(index..).unwrap_or_default();
            let undecided = tail.len() < end.len() && end.starts_with(tail) && !window.last;
            return if undecided { None } else { Some(None) };
        }
    }
    if rest.len() < shape.most + end.len() && !window.last { None } else { Some(None) }
}

/// The closers of a row: of sections, calls and values.
fn closers_of(row: &Format) -> Vec<&'static str> {
    let mut closers: Vec<&str> = row.section.close.iter().chain(row.call.close).copied().collect();
    if let Body::Named(_, crate::format::Args::Pairs(pairs)) = row.body {
        closers.extend(pairs.close);
    }
    closers.retain(|close| !close.starts_with(['`', '\n']));
    closers
}

/// A token that may close something which is not of the row.
fn is_closer(text: &str) -> bool {
    text.starts_with("</") || text.starts_with("[/")
}

/// A spelling that only a special token has.
fn is_token(text: &str) -> bool {
    text.contains('|') || text.contains('｜') || text.starts_with(['[', ']'])
}

/// A tag whose name is one plain word.
fn is_one_word_tag(text: &str) -> bool {
    let name = text.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    name.is_some_and(|name| name.trim_start_matches('/').bytes().all(|byte| byte.is_ascii_alphabetic()))
}

/// What ends a fenced row.
const FENCE: &str = "```";

/// The bytes that the markers of a row start with, those inside its values included.
fn firsts_of(row: &Format) -> Vec<u8> {
    let mut markers: Vec<&str> =
        row.section.open.iter().chain(row.section.close).chain(row.call.open).chain(row.call.close).copied().collect();
    if let Body::Named(_, crate::format::Args::Pairs(pairs)) = row.body {
        markers.extend(pairs.open);
        markers.extend(pairs.close);
    }
    if row.shape == Shape::Fenced {
        markers.push(FENCE);
    }
    let mut firsts: Vec<u8> = markers.iter().filter_map(|marker| marker.bytes().next()).collect();
    firsts.sort_unstable();
    firsts.dedup();
    firsts
}

/// Where a value of the row must be over.
fn stops_of(row: &Format) -> Vec<Vec<u8>> {
    if row.shape == Shape::Fenced {
        return vec![FENCE.as_bytes().to_vec()];
    }
    let mut stops: Vec<&str> =
        row.section.open.iter().chain(row.section.close).chain(row.call.open).chain(row.call.close).copied().collect();
    if let Body::Messages(messages) = row.body {
        stops.extend(messages.end);
    }
    stops.sort_unstable();
    stops.dedup();
    stops.into_iter().map(|stop| stop.as_bytes().to_vec()).collect()
}

#[cfg(test)]
mod tests;
