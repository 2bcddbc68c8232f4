//! Which names are bound where an expression is being read.
//!
//! The names of a `let` are in scope in all its values, also in those that are written before them. So as long as the
//! values of a `let` are being read, it is open what a name refers to: its uses are remembered until that is known.

use crate::document::nearest;
use crate::value::visible;

use super::tree::Binding;

#[derive(Debug, Default)]
pub(super) struct Names {
    /// The names in scope, innermost last.
    bound: Vec<String>,
    /// The uses of names in the values of lets that are still open.
    uses: Vec<Use>,
    /// How many functions are around.
    functions: usize,
    /// How many lets are around whose values are still being read.
    open: usize,
}

#[derive(Debug)]
struct Use {
    name: String,
    /// How many functions were around.
    functions: usize,
}

/// A place in the reading, to which uses belong that come after it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark(usize);

impl Names {
    /// Takes note of a use, or says that nothing can have that name.
    pub(super) fn used(&mut self, name: &str) -> Result<(), String> {
        if self.open > 0 {
            self.uses.push(Use { name: name.to_owned(), functions: self.functions });
            return Ok(());
        }
        self.check(name)
    }

    pub(super) fn mark(&self) -> Mark {
        Mark(self.uses.len())
    }

    /// The values of a `let` begin.
    pub(super) fn open_let(&mut self) {
        self.open += 1;
    }

    /// A name is in scope from here on.
    pub(super) fn bind(&mut self, name: &str) {
        self.bound.push(name.to_owned());
    }

    /// The values of a `let` have been read: each binding with where its value began.
    ///
    /// Finds the bindings that a function refers to before they are set. Functions that are bound one right after the
    /// other come into being together, so those may refer to each other.
    pub(super) fn close_let(&mut self, bindings: &mut [(Binding, Mark)]) -> Result<(), String> {
        self.open -= 1;
        for from in 0..bindings.len() {
            let end = bindings.get(from + 1).map_or(self.uses.len(), |(_, mark)| mark.0);
            let together = bindings[from..].iter().take_while(|(binding, _)| binding.function().is_some());
            let later = from + together.count();
            for used in &self.uses[bindings[from].1.0..end] {
                let named = bindings.iter().position(|(binding, _)| binding.name == used.name);
                if let Some(at) = named
                    && at >= later
                    && used.functions > self.functions
                {
                    bindings[at].0.early = true;
                }
            }
        }
        if self.open > 0 {
            return Ok(());
        }
        let unknown = self.uses.iter().find_map(|used| self.check(&used.name).err());
        self.uses.clear();
        unknown.map_or(Ok(()), Err)
    }

    /// A function begins, whose parameters are bound next.
    pub(super) fn enter_function(&mut self) {
        self.functions += 1;
    }

    pub(super) fn leave_function(&mut self) {
        self.functions -= 1;
    }

    /// The innermost so many names go out of scope; what was used since the mark meant them.
    pub(super) fn unbind(&mut self, since: Mark, count: usize) {
        let names = self.bound.split_off(self.bound.len() - count);
        let mut at = 0;
        self.uses.retain(|used| {
            at += 1;
            at <= since.0 || !names.contains(&used.name)
        });
    }

    fn check(&self, name: &str) -> Result<(), String> {
        if self.bound.iter().any(|bound| bound == name) {
            return Ok(());
        }
        let hint = nearest(name, self.bound.iter().rev().map(String::as_str));
        let hint =
            hint.map_or_else(String::new, |hint| format!("; did you mean '{hint}'?", hint = visible(hint)));
        Err(format!("unknown variable '{}'{hint}", visible(name)))
    }
}
