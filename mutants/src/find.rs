//! Finds the places of a file that can be mutated.

use std::ops::Range;

use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, BinOp, Block, Expr, ExprLit, Lit, Macro, Pat, RangeLimits, Signature, Token, UnOp};

use crate::site::{Mutant, Mutated, Site, on_one_line};
use crate::{returns, swaps};

/// The sites of a file. What runs before the program does (constants), what is only tested with, types, patterns and
/// attributes have none.
pub fn sites(file: String, source: String) -> syn::Result<Mutated> {
    let parsed = syn::parse_file(&source)?;
    let mut finder = Finder { source: &source, scope: Vec::new(), around: Vec::new(), found: Vec::new() };
    finder.visit_file(&parsed);
    let found = finder.found;
    Ok(Mutated::new(file, source, found))
}

struct Finder<'s> {
    source: &'s str,
    /// The type and the function that the visit is in.
    scope: Vec<String>,
    /// The expressions, arms and statements around the expression that is visited, and itself.
    around: Vec<Range<usize>>,
    found: Vec<Site>,
}

/// How much is told on either side of a literal.
const BESIDE_A_LITERAL: usize = 40;

impl<'s> Finder<'s> {
    fn text(&self, node: &impl Spanned) -> &'s str {
        &self.source[node.span().byte_range()]
    }

    fn add(&mut self, at: Range<usize>, text: String, told: String) {
        let line = self.source[..at.start].matches('\n').count() + 1;
        let mutants = vec![Mutant { number: 0, text, told }];
        self.found.push(Site { at, function: self.scope.join("::"), line, mutants });
    }

    /// Something else in the place of a node.
    fn instead(&mut self, node: &impl Spanned, text: &str) {
        let told = format!("{} → {}", on_one_line(self.text(node)), on_one_line(text));
        self.add(node.span().byte_range(), text.to_owned(), told);
    }

    fn operator(&mut self, whole: &Expr, left: &Expr, operator: &BinOp, right: &Expr) {
        for other in swaps::of_operator(operator) {
            let text = format!("{} {other} {}", self.text(left), self.text(right));
            self.instead(whole, &text);
        }
    }

    /// A condition that always holds, and one that never does; where it binds names, the parts that bind none.
    fn condition(&mut self, condition: &Expr, always: &[&str]) {
        match condition {
            Expr::Let(_) | Expr::Lit(_) => {}
            Expr::Binary(both) if binds(condition) => {
                self.condition(&both.left, always);
                self.condition(&both.right, always);
            }
            _ => {
                for text in always {
                    self.instead(condition, text);
                }
            }
        }
    }

    /// A literal tells little by itself, so it is told with what is around it.
    fn literal(&mut self, literal: &ExprLit, others: &[&str]) {
        let at = literal.span().byte_range();
        let around = self.around.iter().rev().nth(1).cloned().unwrap_or(at.clone());
        let before: Vec<char> = on_one_line(&self.source[around.start..at.start]).chars().collect();
        let space = if !before.is_empty() && self.source[..at.start].ends_with(' ') { " " } else { "" };
        let before: String = before[before.len().saturating_sub(BESIDE_A_LITERAL)..].iter().collect();
        let after: String =
            on_one_line(&self.source[at.end..around.end]).chars().take(BESIDE_A_LITERAL).collect();
        for other in others {
            let with = |literal: &str| format!("{before}{space}{literal}{after}");
            let told = format!("{} → {}", with(&self.source[at.clone()]), with(other));
            self.add(at.clone(), (*other).to_owned(), told);
        }
    }

    fn body(&mut self, signature: &Signature, body: &Block) {
        let whole = on_one_line(self.text(body));
        let at = body.brace_token.span.open().byte_range().end;
        for value in returns::of(&signature.output) {
            let nothing = value == "()" && body.stmts.is_empty();
            if nothing || whole == format!("{{ {value} }}") {
                continue;
            }
            let told = format!("{} → {value}", signature.ident);
            self.add(at..at, format!("return {value};"), told);
        }
    }

    fn function(&mut self, signature: &Signature, body: &Block, attributes: &[Attribute]) {
        if signature.constness.is_some() || is_for_tests(attributes) {
            return;
        }
        self.scope.push(signature.ident.to_string());
        self.body(signature, body);
        self.visit_block(body);
        self.scope.pop();
    }
}

/// Whether a condition has `let` in it.
fn binds(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(both) => matches!(both.op, BinOp::And(_)) && (binds(&both.left) || binds(&both.right)),
        _ => false,
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let list = attribute.meta.require_list();
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && list.is_ok_and(|list| list.tokens.to_string().starts_with("test"))
    })
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_pat(&mut self, _: &'ast Pat) {}
    fn visit_path_arguments(&mut self, _: &'ast syn::PathArguments) {}
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_item_enum(&mut self, _: &'ast syn::ItemEnum) {}
    fn visit_item_macro(&mut self, _: &'ast syn::ItemMacro) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_for_tests(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_impl(&mut self, implementation: &'ast syn::ItemImpl) {
        if is_for_tests(&implementation.attrs) {
            return;
        }
        let of = on_one_line(self.text(&*implementation.self_ty));
        self.scope.push(of.split('<').next().unwrap_or_default().to_owned());
        visit::visit_item_impl(self, implementation);
        self.scope.pop();
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig, &item.block, &item.attrs);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.sig, &item.block, &item.attrs);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(body) = &item.default {
            self.function(&item.sig, body, &item.attrs);
        }
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if let Some((_, guard)) = &arm.guard {
            self.condition(guard, &["true", "false"]);
        }
        self.around.push(arm.span().byte_range());
        visit::visit_arm(self, arm);
        self.around.pop();
    }

    fn visit_stmt(&mut self, statement: &'ast syn::Stmt) {
        self.around.push(statement.span().byte_range());
        visit::visit_stmt(self, statement);
        self.around.pop();
    }

    fn visit_expr_repeat(&mut self, repeat: &'ast syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }

    fn visit_expr_unary(&mut self, unary: &'ast syn::ExprUnary) {
        match (&unary.op, &*unary.expr) {
            // That it is negated is already asked.
            (UnOp::Not(_), Expr::MethodCall(call)) if call.method == "is_empty" => {
                self.visit_expr(&call.receiver);
            }
            _ => visit::visit_expr_unary(self, unary),
        }
    }

    fn visit_expr(&mut self, expression: &'ast Expr) {
        self.around.push(expression.span().byte_range());
        match expression {
            Expr::Binary(both) if !binds(expression) => {
                self.operator(expression, &both.left, &both.op, &both.right);
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => {
                let text = self.text(&*unary.expr);
                self.instead(expression, text);
            }
            Expr::If(branch) => self.condition(&branch.cond, &["true", "false"]),
            // One that always holds only hangs.
            Expr::While(repeated) => self.condition(&repeated.cond, &["false"]),
            Expr::Lit(literal) => match &literal.lit {
                Lit::Bool(bool) => self.literal(literal, if bool.value { &["false"] } else { &["true"] }),
                Lit::Int(int) if int.base10_digits() == "0" => self.literal(literal, &["1"]),
                Lit::Int(int) if int.base10_digits() == "1" => self.literal(literal, &["0", "2"]),
                _ => {}
            },
            Expr::Range(range) => {
                if let Some(end) = &range.end {
                    let by = if matches!(range.limits, RangeLimits::HalfOpen(_)) { "+" } else { "-" };
                    let text = format!("({}) {by} 1", self.text(&**end));
                    self.instead(&**end, &text);
                }
            }
            Expr::MethodCall(call) => {
                if call.method == "is_empty" {
                    let text = format!("!{}", self.text(expression));
                    self.instead(expression, &text);
                } else if let Some(other) = swaps::of_method(&call.method.to_string()) {
                    let (whole, name) = (expression.span().byte_range(), call.method.span().byte_range());
                    let (before, after) =
                        (&self.source[whole.start..name.start], &self.source[name.end..whole.end]);
                    let text = format!("{before}{other}{after}");
                    self.instead(expression, &text);
                }
            }
            Expr::Path(path) => match on_one_line(self.text(path)).as_str() {
                "Ordering::Less" => self.instead(expression, "Ordering::Greater"),
                "Ordering::Greater" => self.instead(expression, "Ordering::Less"),
                _ => {}
            },
            _ => {}
        }
        visit::visit_expr(self, expression);
        self.around.pop();
    }

    /// Macros whose arguments are expressions.
    fn visit_macro(&mut self, called: &'ast Macro) {
        let name = called.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
        match name.as_str() {
            "matches" => {
                let parser = |input: syn::parse::ParseStream<'_>| {
                    let matched: Expr = input.parse()?;
                    input.parse::<Token![,]>()?;
                    Pat::parse_multi_with_leading_vert(input)?;
                    let guard =
                        input.parse::<Option<Token![if]>>()?.map(|_| input.parse::<Expr>()).transpose()?;
                    input.parse::<Option<Token![,]>>()?;
                    Ok((matched, guard))
                };
                let (matched, guard) =
                    parser.parse2(called.tokens.clone()).expect("matches! has a value and a pattern");
                let (matched, guard): (&Expr, Option<&Expr>) = (&matched, guard.as_ref());
                self.visit_parsed(matched);
                if let Some(guard) = guard {
                    self.condition(guard, &["true", "false"]);
                    self.visit_parsed(guard);
                }
                let whole = called.span().byte_range();
                let text = format!("!{}", &self.source[whole.clone()]);
                let told = format!("{} → !…", on_one_line(&self.source[whole.clone()]));
                self.add(whole, text, told);
            }
            "format" | "format_args" | "vec" | "write" | "writeln" => {
                let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
                for argument in parser.parse2(called.tokens.clone()).into_iter().flatten() {
                    // A named argument is read as an assignment.
                    match &argument {
                        Expr::Assign(named) => self.visit_parsed(&named.right),
                        other => self.visit_parsed(other),
                    }
                }
            }
            _ => {}
        }
    }
}

impl Finder<'_> {
    /// Visits what was parsed out of a macro, which lives no longer than the visit.
    fn visit_parsed(&mut self, expression: &Expr) {
        let mut inner = Finder {
            source: self.source,
            scope: std::mem::take(&mut self.scope),
            around: std::mem::take(&mut self.around),
            found: std::mem::take(&mut self.found),
        };
        inner.visit_expr(expression);
        (self.scope, self.around, self.found) = (inner.scope, inner.around, inner.found);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::splice::{self, Blamed};

    fn told(source: &str) -> Vec<String> {
        let sites = sites("a.rs".to_owned(), source.to_owned()).unwrap();
        sites.sites.into_iter().flat_map(|site| site.mutants).map(|mutant| mutant.told).collect()
    }

    #[test]
    fn what_decides_is_mutated() {
        assert_eq!(
            told("fn f(a: u64) { if a < 1 && !g(a) { h() } }"),
            [
                "f → ()",
                "a < 1 && !g(a) → true",
                "a < 1 && !g(a) → false",
                "a < 1 && !g(a) → a < 1 || !g(a)",
                "a < 1 → a <= 1",
                "a < 1 → a >= 1",
                "a < 1 → a < 0",
                "a < 1 → a < 2",
                "!g(a) → g(a)",
            ]
        );
        assert_eq!(told("fn f(s: &S) -> S { s.x.iter().all(g).then(|| s[..2].min(y)) }").len(), 3);
        assert_eq!(
            told("fn f(s: S) -> S { match s { Some(0) if s.is_empty() => s, _ => s } }"),
            ["s.is_empty() → true", "s.is_empty() → false", "s.is_empty() → !s.is_empty()"]
        );
        assert_eq!(told("fn f(s: S) -> S { if let Some(s) = s && s == t { s } }").len(), 3);
    }

    #[test]
    fn what_does_not_run_is_left_alone() {
        for source in [
            "const A: usize = 1 + 1;",
            "const fn f() -> bool { true }",
            "#[cfg(test)] mod tests { fn f() -> bool { !g() } }",
            "#[test] fn f() { g(1 + 1) }",
            "fn f(a: [u8; 1]) -> [u8; 1 + 1] { a }",
            "macro_rules! m { () => { 1 + 1 } }",
        ] {
            assert_eq!(told(source), [""; 0], "{source}");
        }
    }

    #[test]
    fn every_mutant_stands_behind_its_number_and_is_found_by_its_place() {
        let source = "fn f() -> S { a == (b + c) }";
        let mut sites = sites("a.rs".to_owned(), source.to_owned()).unwrap();
        let mutants = sites.sites.iter_mut().flat_map(|site| &mut site.mutants);
        for (mutant, number) in mutants.zip(1..) {
            mutant.number = number;
        }
        let written = splice::write(&sites, &BTreeSet::new());
        assert_eq!(
            written,
            "fn f() -> S { /*[1*/(if crate::mutant::on(1) {/*<1*/a != (b + c)/*1>*/} else {a == \
             (/*[2*/(if crate::mutant::on(2) {/*<2*/b - c/*2>*/} else {b + c})/*2]*/)})/*1]*/ }"
        );
        let at = |text: &str| splice::blamed(&written, written.find(text).unwrap());
        assert_eq!(at("!="), Some(Blamed::Mutant(1)));
        assert_eq!(at("b - c"), Some(Blamed::Mutant(2)));
        assert_eq!(at("b + c}"), Some(Blamed::Site(2)));
        assert_eq!(at("a =="), Some(Blamed::Site(1)));
        assert_eq!(at("fn f"), None);
        assert_eq!(splice::write(&sites, &BTreeSet::from([1, 2])), source);
    }
}
