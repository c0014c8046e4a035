//! The expressions of a template that say no more than markers do: escaped literals, white space, alternatives, and named groups between
//! literals.

/// More spellings of one delimiter are refused.
const MAX_SPELLINGS: usize = 16;
/// Groups inside groups.
const MAX_DEPTH: usize = 8;

/// A part of a delimiter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Atom {
    /// Exactly this.
    Text(String),
    /// Any white space, or none.
    Blanks,
    /// One line feed, or none.
    Line,
    /// A run of characters with a name.
    Group(String),
    /// The end of the reply.
    End,
}

/// One spelling of a delimiter.
pub(super) type Spelling = Vec<Atom>;

/// The spellings that `pattern` stands for.
///
/// # Errors
/// When it says more than the atoms can; the text says what.
pub(super) fn parse(pattern: &str) -> Result<Vec<Spelling>, String> {
    let mut reader = Reader { rest: pattern };
    let spellings = reader.alternatives(0)?;
    match reader.rest.chars().next() {
        None => Ok(spellings.into_iter().map(joined).collect()),
        Some(_) => Err(format!("it is no regular expression at `{}`", reader.rest)),
    }
}

/// Texts that stand side by side as one.
fn joined(spelling: Spelling) -> Spelling {
    let mut out: Spelling = Vec::new();
    for atom in spelling {
        match (out.last_mut(), atom) {
            (Some(Atom::Text(before)), Atom::Text(text)) => before.push_str(&text),
            (Some(Atom::Blanks), Atom::Blanks | Atom::Line) => {}
            (_, atom) => out.push(atom),
        }
    }
    out
}

/// What one item of an expression matches.
enum Item {
    Char(char),
    /// White space only.
    Blank,
    /// One of several characters.
    Class,
    /// A whole part.
    Part(Vec<Spelling>),
}

/// How often an item stands.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Often {
    Once,
    Maybe,
    Many,
}

struct Reader<'p> {
    rest: &'p str,
}

impl Reader<'_> {
    fn take(&mut self, text: &str) -> bool {
        let found = self.rest.strip_prefix(text);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    fn next(&mut self) -> Option<char> {
        let first = self.rest.chars().next()?;
        self.rest = self.rest.get(first.len_utf8()..).unwrap_or_default();
        Some(first)
    }

    fn alternatives(&mut self, depth: usize) -> Result<Vec<Spelling>, String> {
        let mut out = self.sequence(depth)?;
        while self.take("|") {
            out.extend(self.sequence(depth)?);
        }
        if out.len() > MAX_SPELLINGS { Err(format!("it has more than {MAX_SPELLINGS} spellings")) } else { Ok(out) }
    }

    fn sequence(&mut self, depth: usize) -> Result<Vec<Spelling>, String> {
        let mut out = vec![Spelling::new()];
        while !self.rest.is_empty() && !self.rest.starts_with(['|', ')']) {
            let at = self.rest;
            let item = self.item(depth)?;
            let often = self.often()?;
            let parts = spelled(item, often).ok_or_else(|| self.general(at))?;
            out = out.iter().flat_map(|left| parts.iter().map(|part| [left.as_slice(), part].concat())).collect();
            if out.len() > MAX_SPELLINGS {
                return Err(format!("it has more than {MAX_SPELLINGS} spellings"));
            }
        }
        Ok(out)
    }

    /// The refusal of what was read since `at`.
    fn general(&self, at: &str) -> String {
        let text = at.get(..at.len() - self.rest.len()).unwrap_or_default();
        format!("`{text}` is more than literals, white space and named groups can say")
    }

    fn item(&mut self, depth: usize) -> Result<Item, String> {
        let at = self.rest;
        match self.next() {
            Some('(') => self.group(depth),
            Some('[') => self.class(),
            Some('\\') => self.escape(),
            Some('.') => Ok(Item::Class),
            Some('$') => Ok(Item::Part(vec![vec![Atom::End]])),
            Some('^' | '*' | '+' | '?' | '{') => Err(self.general(at)),
            Some(' ') => Ok(Item::Char(' ')),
            Some(char) => Ok(Item::Char(char)),
            None => Err("it ends too early".to_owned()),
        }
    }

    fn often(&mut self) -> Result<Often, String> {
        let often = match self.rest.chars().next() {
            Some('?') => Often::Maybe,
            Some('*' | '+') => Often::Many,
            Some('{') if self.rest.get(1..).is_some_and(|rest| rest.starts_with(|char: char| char.is_ascii_digit() || char == ',')) => {
                return Err("counted repetition is not supported".to_owned());
            }
            _ => return Ok(Often::Once),
        };
        self.next();
        // Lazy or possessive: with one end to look for it is the same.
        let _ = self.take("?") || self.take("+");
        Ok(often)
    }

    fn escape(&mut self) -> Result<Item, String> {
        Ok(match self.next() {
            Some('s') => Item::Blank,
            Some('n') => Item::Char('\n'),
            Some('t') => Item::Char('\t'),
            Some('r') => Item::Char('\r'),
            Some('w' | 'd' | 'S' | 'W' | 'D') => Item::Class,
            Some('Z' | 'z') => Item::Part(vec![vec![Atom::End]]),
            Some(digit) if digit.is_ascii_digit() => return Err("back-references are not supported".to_owned()),
            Some(letter) if letter.is_ascii_alphabetic() => return Err(format!("`\\{letter}` is not supported")),
            Some(char) => Item::Char(char),
            None => return Err("it ends too early".to_owned()),
        })
    }

    /// Behind an opening bracket.
    fn class(&mut self) -> Result<Item, String> {
        let negated = self.take("^");
        let mut members = Vec::new();
        loop {
            match self.next() {
                None => return Err("a character class is not closed".to_owned()),
                Some(']') if !members.is_empty() => break,
                Some('\\') => members.push(self.escape()?),
                Some(char) => members.push(Item::Char(char)),
            }
        }
        let blank = |item: &Item| matches!(item, Item::Blank | Item::Char(' ' | '\n' | '\t' | '\r'));
        Ok(match members.as_slice() {
            [Item::Char(char)] if !negated => Item::Char(*char),
            members if !negated && members.iter().all(blank) => Item::Blank,
            _ => Item::Class,
        })
    }

    /// Behind an opening parenthesis.
    fn group(&mut self, depth: usize) -> Result<Item, String> {
        if depth >= MAX_DEPTH {
            return Err("its groups nest too deep".to_owned());
        }
        if ["?=", "?!", "?<=", "?<!"].iter().any(|mark| self.rest.starts_with(mark)) {
            return Err("look-around is not supported".to_owned());
        }
        if self.take("?P<") || self.take("?<") {
            return self.named();
        }
        if !self.take("?:") && self.rest.starts_with('?') {
            return Err("flags and special groups are not supported".to_owned());
        }
        let spellings = self.alternatives(depth + 1)?;
        if self.take(")") { Ok(Item::Part(spellings)) } else { Err("a group is not closed".to_owned()) }
    }

    /// Behind the bracket in front of a group's name.
    fn named(&mut self) -> Result<Item, String> {
        let Some((name, rest)) = self.rest.split_once('>') else { return Err("a group is not closed".to_owned()) };
        if name.is_empty() || !name.chars().all(|char| char.is_alphanumeric() || char == '_') {
            return Err(format!("`{name}` is no name of a group"));
        }
        self.rest = rest;
        let at = self.rest;
        let mut runs = false;
        loop {
            match self.rest.chars().next() {
                None => return Err("a group is not closed".to_owned()),
                Some(')') => break,
                Some('(' | '|') => {
                    let inside = at.split(')').next().unwrap_or(at);
                    return Err(format!("group {name}: `{inside}` is more than a run of characters"));
                }
                Some(_) => {}
            }
            let item = self.item(MAX_DEPTH)?;
            let often = self.often()?;
            runs |= often == Often::Many && matches!(item, Item::Class | Item::Blank);
        }
        if !runs {
            return Err(format!("group {name} is no run of characters"));
        }
        self.next();
        Ok(Item::Part(vec![vec![Atom::Group(name.to_owned())]]))
    }
}

/// The spellings of an item; none: it says too much.
fn spelled(item: Item, often: Often) -> Option<Vec<Spelling>> {
    Some(match (item, often) {
        (Item::Char(char), Often::Once) => vec![vec![Atom::Text(char.to_string())]],
        (Item::Char('\n'), Often::Maybe) => vec![vec![Atom::Line]],
        (Item::Char(' ' | '\n' | '\t' | '\r') | Item::Blank, _) => vec![vec![Atom::Blanks]],
        (Item::Char(char), Often::Maybe) => vec![vec![Atom::Text(char.to_string())], Vec::new()],
        (Item::Part(spellings), Often::Once) => spellings,
        (Item::Part(spellings), Often::Maybe) => spellings.into_iter().chain([Vec::new()]).collect(),
        (Item::Char(_) | Item::Part(_), Often::Many) | (Item::Class, _) => return None,
    })
}

/// The white space that an atom for some stands for, in the spellings that models write.
fn variants(atom: &Atom) -> Vec<&str> {
    match atom {
        Atom::Text(text) => vec![text],
        Atom::Blanks => vec!["", "\n", " ", "\n\n"],
        Atom::Line => vec!["", "\n"],
        Atom::Group(_) | Atom::End => vec![""],
    }
}

/// The texts of a spelling without groups; white space at its edges is left out.
pub(super) fn texts(spelling: &[Atom]) -> Vec<String> {
    let mut out = vec![String::new()];
    for atom in inner(spelling) {
        let variants = variants(atom);
        out = out.iter().flat_map(|left| variants.iter().map(move |text| format!("{left}{text}"))).collect();
    }
    out
}

/// A spelling without the atoms for white space at its edges.
pub(super) fn inner(spelling: &[Atom]) -> &[Atom] {
    let blank = |atom: &Atom| matches!(atom, Atom::Blanks | Atom::Line);
    let start = spelling.iter().position(|atom| !blank(atom)).unwrap_or(spelling.len());
    let end = spelling.iter().rposition(|atom| !blank(atom)).map_or(start, |last| last + 1);
    spelling.get(start..end).unwrap_or_default()
}
