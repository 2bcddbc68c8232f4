//! Where names are bound: the parameters of a function, the bindings of a `let`.

use serde::de::{Error, IgnoredAny, SeqAccess};

use crate::value::visible;

use super::names::Mark;
use super::part::{At, Part};
use super::read::{Form, Reader};
use super::tree::Binding;

/// `[name, …]`
pub(super) struct Parameters<'r> {
    pub(super) reader: &'r mut Reader,
    pub(super) depth: usize,
}

impl<'de> Part<'de> for Parameters<'_> {
    type Read = Vec<String>;

    const WHAT: &'static str = "a list of parameters: [name, …]";

    fn list<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<String>, A::Error> {
        self.reader.open_list(self.depth)?;
        let mut names: Vec<String> = Vec::new();
        loop {
            let is_taken = |name: &str| names.iter().any(|other| other == name);
            match items.next_element_seed(At(Bound { reader: &mut *self.reader, is_taken: &is_taken }))? {
                Some(name) => names.push(name),
                None => break,
            }
        }
        self.reader.close_list();
        Ok(names)
    }
}

/// `[[name, value], …]`
pub(super) struct Bindings<'r> {
    pub(super) reader: &'r mut Reader,
    pub(super) depth: usize,
}

impl<'de> Part<'de> for Bindings<'_> {
    type Read = Vec<Binding>;

    const WHAT: &'static str = "a list of bindings: [[name, value], …]";

    fn list<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<Binding>, A::Error> {
        self.reader.open_list(self.depth)?;
        self.reader.names.open_let();
        let mut bindings: Vec<(Binding, Mark)> = Vec::new();
        loop {
            let is_taken = |name: &str| bindings.iter().any(|(other, _)| other.name == name);
            let pair = Pair { reader: &mut *self.reader, depth: self.depth + 1, is_taken: &is_taken };
            match items.next_element_seed(At(pair))? {
                Some(binding) => bindings.push(binding),
                None => break,
            }
        }
        self.reader.names.close_let(&mut bindings).map_err(A::Error::custom)?;
        self.reader.close_list();
        Ok(bindings.into_iter().map(|(binding, _)| binding).collect())
    }
}

/// `[name, value]`
struct Pair<'r, 'o> {
    reader: &'r mut Reader,
    depth: usize,
    is_taken: &'o dyn Fn(&str) -> bool,
}

impl<'de> Part<'de> for Pair<'_, '_> {
    type Read = (Binding, Mark);

    const WHAT: &'static str = "a binding: [name, value]";

    fn list<A: SeqAccess<'de>>(self, mut items: A) -> Result<(Binding, Mark), A::Error> {
        let Pair { reader, depth, is_taken } = self;
        reader.open_list(depth)?;
        let incomplete = || A::Error::custom("a binding is a name and a value: [name, value]");
        let name = items.next_element_seed(At(Bound { reader: &mut *reader, is_taken }))?;
        let mark = reader.names.mark();
        let value = Form { reader: &mut *reader, depth: depth + 1, is_pattern: false };
        let value = items.next_element_seed(At(value))?;
        let surplus = items.next_element::<IgnoredAny>()?;
        let (Some(name), Some(value), None) = (name, value, surplus) else { return Err(incomplete()) };
        reader.close_list();
        Ok((Binding { name, value, early: false }, mark))
    }
}

/// A name that is bound from here on, beside others that it must differ from.
struct Bound<'r, 'o> {
    reader: &'r mut Reader,
    is_taken: &'o dyn Fn(&str) -> bool,
}

impl Part<'_> for Bound<'_, '_> {
    type Read = String;

    const WHAT: &'static str = "a name";

    fn text<E: Error>(self, name: &str) -> Result<String, E> {
        if (self.is_taken)(name) {
            return Err(E::custom(format_args!("the name '{}' is given twice", visible(name))));
        }
        self.reader.scalar(&name.into());
        self.reader.names.bind(name);
        Ok(name.to_owned())
    }
}
