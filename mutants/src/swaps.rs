//! Which operator or method stands for which other one.

use syn::BinOp;

/// What an operator could be mistaken for: its neighbour at the boundary, and its opposite.
pub fn of_operator(operator: &BinOp) -> &'static [&'static str] {
    match operator {
        BinOp::Eq(_) => &["!="],
        BinOp::Ne(_) => &["=="],
        BinOp::Lt(_) => &["<=", ">="],
        BinOp::Le(_) => &["<", ">"],
        BinOp::Gt(_) => &[">=", "<="],
        BinOp::Ge(_) => &[">", "<"],
        BinOp::And(_) => &["||"],
        BinOp::Or(_) => &["&&"],
        BinOp::Add(_) => &["-"],
        BinOp::Sub(_) => &["+"],
        BinOp::Mul(_) | BinOp::Rem(_) => &["/"],
        BinOp::Div(_) => &["*"],
        BinOp::AddAssign(_) => &["-="],
        BinOp::SubAssign(_) => &["+="],
        BinOp::BitAnd(_) => &["|"],
        BinOp::BitOr(_) => &["&"],
        BinOp::BitAndAssign(_) => &["|="],
        BinOp::BitOrAssign(_) => &["&="],
        _ => &[],
    }
}

const METHODS: [(&str, &str); 14] = [
    ("all", "any"),
    ("first", "last"),
    ("is_break", "is_continue"),
    ("is_err", "is_ok"),
    ("is_none", "is_some"),
    ("is_none_or", "is_some_and"),
    ("max", "min"),
    ("max_by_key", "min_by_key"),
    ("saturating_add", "saturating_sub"),
    ("checked_add", "checked_sub"),
    ("starts_with", "ends_with"),
    ("strip_prefix", "strip_suffix"),
    ("is_lt", "is_gt"),
    ("position", "rposition"),
];

/// The method that is easily mistaken for this one.
pub fn of_method(name: &str) -> Option<&'static str> {
    METHODS.iter().find_map(|(one, other)| match name {
        _ if name == *one => Some(*other),
        _ if name == *other => Some(*one),
        _ => None,
    })
}
