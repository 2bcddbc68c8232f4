//! Lists and maps in brackets.

use super::super::super::{Content, Node, repeated_key};
use super::{DEEPEST_NESTING, LONGEST_KEY, Reader, Within, member, node};

impl Reader<'_> {
    /// A list or map in brackets, which end in the same line.
    pub(super) fn flow(&mut self, depth: usize) -> Option<Node> {
        if depth > DEEPEST_NESTING {
            return None;
        }
        let start = self.at;
        let is_map = self.peek()? == b'{';
        let close = if is_map { b'}' } else { b']' };
        let (first_item, first_member) = (self.items.len(), self.members.len());
        self.at += 1;
        self.skip_spaces();
        while self.peek()? != close {
            if is_map {
                let key = self.scalar(Within::Flow)?;
                if !self.bytes[self.at..].starts_with(b": ") || key.span.len() > LONGEST_KEY {
                    return None;
                }
                self.at += 1;
                self.skip_spaces();
                let value = self.inside(depth)?;
                self.members.push(member(key, value));
            } else {
                let item = self.inside(depth)?;
                self.items.push(item);
            }
            self.skip_spaces();
            match self.peek()? {
                b',' => {
                    self.at += 1;
                    self.skip_spaces();
                    if self.peek()? == close {
                        return None;
                    }
                }
                other if other == close => {}
                _ => return None,
            }
        }
        self.at += 1;
        if is_map { self.map_since(first_member, start) } else { Some(self.list_since(first_item, start)) }
    }

    /// The list of all items since the first, which ends here.
    pub(super) fn list_since(&mut self, first: usize, start: usize) -> Node {
        Node { span: start..self.at, content: Content::List(self.items.split_off(first)) }
    }

    /// The map of all members since the first, which ends here; a key that is given twice is not plain.
    pub(super) fn map_since(&mut self, first: usize, start: usize) -> Option<Node> {
        let members = self.members.split_off(first);
        let is_right = repeated_key(&members).is_none();
        is_right.then_some(Node { span: start..self.at, content: Content::Map(members) })
    }

    /// What stands between brackets and commas.
    fn inside(&mut self, depth: usize) -> Option<Node> {
        match self.peek()? {
            b'[' | b'{' => self.flow(depth + 1),
            _ => {
                let written = self.scalar(Within::Flow)?;
                node(written)
            }
        }
    }
}
