//! What a function could return without doing anything, by its return type.

use syn::{GenericArgument, PathArguments, ReturnType, Type};

/// The expressions that stand for doing nothing; none where the type has no plain one.
pub fn of(output: &ReturnType) -> Vec<String> {
    match output {
        ReturnType::Default => vec!["()".to_owned()],
        ReturnType::Type(_, r#type) => values(r#type),
    }
}

fn values(r#type: &Type) -> Vec<String> {
    let plain = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    match r#type {
        Type::Tuple(tuple) if tuple.elems.is_empty() => plain(&["()"]),
        Type::Reference(reference) if is_named(&reference.elem, "str") => plain(&["\"\""]),
        Type::Path(path) => {
            let Some(last) = path.path.segments.last() else { return Vec::new() };
            let first = arguments(&last.arguments).next();
            match last.ident.to_string().as_str() {
                "bool" => plain(&["true", "false"]),
                "usize" | "u64" | "u32" | "u16" | "i64" | "i32" => plain(&["0", "1"]),
                "String" => plain(&["String::new()"]),
                "Vec" => plain(&["Vec::new()"]),
                "Option" => plain(&["None"]),
                "Verdict" => plain(&["crate::verdict::Verdict::Pass"]),
                "Exercise" => plain(&["crate::vocabulary::Exercise::Yes"]),
                // `fmt::Result`, and answers that are about nothing.
                "Result" | "Answer" if first.is_none() => plain(&["Ok(())"]),
                "Result" | "Answer" => {
                    first.map(values).unwrap_or_default().iter().map(|value| format!("Ok({value})")).collect()
                }
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

fn is_named(r#type: &Type, name: &str) -> bool {
    matches!(r#type, Type::Path(path) if path.path.is_ident(name))
}

fn arguments(arguments: &PathArguments) -> impl Iterator<Item = &Type> {
    let listed = match arguments {
        PathArguments::AngleBracketed(listed) => Some(&listed.args),
        PathArguments::None | PathArguments::Parenthesized(_) => None,
    };
    listed.into_iter().flatten().filter_map(|argument| match argument {
        GenericArgument::Type(r#type) => Some(r#type),
        _ => None,
    })
}
