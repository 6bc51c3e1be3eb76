//! The places of a source file at which a small fault can be planted, and the faults.
//!
//! The faults are those that cargo-mutants plants: an operator in the place of another, a sign or a
//! negation left out, a guard that always or never holds, a function that returns something plain.
//! Code that only tests see is left out, and so is what no switch can be read in (constants, their
//! types, `const fn`), what prints for people (`Debug`, `Display`), and what stands in macros, which is
//! no expression yet: assertions are never weakened.

use std::ops::Range;

use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, BinOp, Block, Expr, Item, ReturnType, Signature, Type, UnOp};

/// A place with the faults that can be planted there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    /// The bytes of the file that a fault replaces.
    pub(crate) bytes: Range<usize>,
    /// The line, from 1.
    pub(crate) line: usize,
    /// The function it lies in.
    pub(crate) function: String,
    /// Whether the bytes are the block of a function, whose fault is a return at its start.
    pub(crate) is_body: bool,
    /// The faults.
    pub(crate) faults: Vec<Fault>,
}

/// A fault at a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// What the code becomes.
    pub(crate) code: String,
    /// What is done, for people.
    pub(crate) change: String,
}

/// All sites of a file, outer ones before those within them.
///
/// # Errors
/// Where the text is no Rust.
pub(crate) fn sites(text: &str) -> syn::Result<Vec<Site>> {
    let file = syn::parse_file(text)?;
    let mut finder = Finder { text, sites: Vec::new(), function: String::new() };
    finder.visit_file(&file);
    let mut sites = finder.sites;
    sites.sort_by_key(|site| (site.bytes.start, std::cmp::Reverse(site.bytes.end)));
    debug_assert!(sites.iter().all(|site| site.bytes.end <= text.len()));
    Ok(sites)
}

/// The names of modules in files of their own that only tests see.
///
/// # Errors
/// Where the text is no Rust.
pub(crate) fn test_modules(text: &str) -> syn::Result<Vec<String>> {
    let file = syn::parse_file(text)?;
    let of_tests = |item: &Item| match item {
        Item::Mod(module) if module.content.is_none() && !is_compiled(&module.attrs) => {
            Some(module.ident.to_string())
        }
        _ => None,
    };
    Ok(file.items.iter().filter_map(of_tests).collect())
}

/// Whether code with these attributes is part of a plain build: none of them is a condition.
fn is_compiled(attributes: &[Attribute]) -> bool {
    !attributes.iter().any(|attribute| {
        let path = attribute.path();
        path.is_ident("cfg") || path.is_ident("test") || path.is_ident("cfg_attr")
    })
}

struct Finder<'a> {
    text: &'a str,
    sites: Vec<Site>,
    function: String,
}

impl Finder<'_> {
    fn source(&self, part: &impl Spanned) -> &str {
        &self.text[part.span().byte_range()]
    }

    fn add(&mut self, part: &impl Spanned, is_body: bool, faults: Vec<Fault>) {
        if faults.is_empty() {
            return;
        }
        let span = part.span();
        let (line, function) = (span.start().line, self.function.clone());
        self.sites.push(Site { bytes: span.byte_range(), line, function, is_body, faults });
    }

    fn function(&mut self, signature: &Signature, block: &Block) {
        if signature.constness.is_some() || signature.asyncness.is_some() {
            return;
        }
        let outer = std::mem::replace(&mut self.function, signature.ident.to_string());
        if !block.stmts.is_empty() {
            let faults = returns(&signature.output)
                .into_iter()
                .map(|code| Fault { change: format!("returns {code}"), code })
                .collect();
            self.add(block, true, faults);
        }
        visit::visit_block(self, block);
        self.function = outer;
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Fn(item) if is_compiled(&item.attrs) => self.function(&item.sig, &item.block),
            Item::Mod(item) if is_compiled(&item.attrs) => visit::visit_item_mod(self, item),
            Item::Trait(item) if is_compiled(&item.attrs) => visit::visit_item_trait(self, item),
            Item::Impl(item) if is_compiled(&item.attrs) => {
                let name = item.trait_.as_ref().and_then(|(_, path, _)| path.segments.last());
                if !name
                    .is_some_and(|name| ["Debug", "Display"].contains(&&*name.ident.to_string()))
                {
                    visit::visit_item_impl(self, item);
                }
            }
            _ => {}
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if is_compiled(&item.attrs) {
            self.function(&item.sig, &item.block);
        }
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = item.default.as_ref().filter(|_| is_compiled(&item.attrs)) {
            self.function(&item.sig, block);
        }
    }

    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_type(&mut self, _: &'ast Type) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_path(&mut self, _: &'ast syn::Path) {}
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}

    fn visit_expr_repeat(&mut self, repeat: &'ast syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if let Some((_, guard)) = &arm.guard {
            let faults = ["true", "false"].map(|code| Fault {
                code: code.to_owned(),
                change: format!("guard {} becomes {code}", short(self.source(&**guard))),
            });
            self.add(&**guard, false, faults.into());
        }
        visit::visit_arm(self, arm);
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Binary(binary) if !holds_let(expr) => {
                let (left, right) = (self.source(&*binary.left), self.source(&*binary.right));
                let was = binary.op.to_token_stream().to_string();
                let whole = short(self.source(expr));
                let faults = others(&binary.op)
                    .iter()
                    .map(|op| Fault {
                        code: format!("({left}) {op} ({right})"),
                        change: format!("{was} becomes {op} in {whole}"),
                    })
                    .collect();
                self.add(expr, false, faults);
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_) | UnOp::Neg(_)) => {
                let code = format!("({})", self.source(&*unary.expr));
                let was = unary.op.to_token_stream().to_string();
                let change = format!("{was} is left out in {}", short(self.source(expr)));
                // A number with its sign is one literal.
                if !matches!(&*unary.expr, Expr::Lit(_)) {
                    self.add(expr, false, vec![Fault { code, change }]);
                }
            }
            _ => {}
        }
        visit::visit_expr(self, expr);
    }
}

/// Whether an expression is a chain with `let`, which is no expression by itself.
fn holds_let(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Binary(binary) if matches!(binary.op, BinOp::And(_)) => {
            holds_let(&binary.left) || holds_let(&binary.right)
        }
        _ => false,
    }
}

/// The first words of code, on one line.
fn short(code: &str) -> String {
    const WIDTH: usize = 60;
    let line = code.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= WIDTH {
        return line;
    }
    line.chars().take(WIDTH).chain(['…']).collect()
}

/// Operators that may stand where one stood.
fn others(op: &BinOp) -> &'static [&'static str] {
    match op {
        BinOp::Add(_) => &["-", "*"],
        BinOp::Sub(_) => &["+", "/"],
        BinOp::Mul(_) => &["+", "/"],
        BinOp::Div(_) => &["%", "*"],
        BinOp::Rem(_) => &["/", "+"],
        BinOp::And(_) => &["||"],
        BinOp::Or(_) => &["&&"],
        BinOp::BitXor(_) => &["|", "&"],
        BinOp::BitAnd(_) => &["|", "^"],
        BinOp::BitOr(_) => &["&", "^"],
        BinOp::Shl(_) => &[">>"],
        BinOp::Shr(_) => &["<<"],
        BinOp::Eq(_) => &["!="],
        BinOp::Ne(_) => &["=="],
        BinOp::Lt(_) => &["==", ">", "<="],
        BinOp::Gt(_) => &["==", "<", ">="],
        BinOp::Le(_) => &[">"],
        BinOp::Ge(_) => &["<"],
        BinOp::AddAssign(_) => &["-=", "*="],
        BinOp::SubAssign(_) => &["+=", "/="],
        BinOp::MulAssign(_) => &["+=", "/="],
        BinOp::DivAssign(_) => &["%=", "*="],
        BinOp::RemAssign(_) => &["/=", "+="],
        BinOp::BitXorAssign(_) => &["|=", "&="],
        BinOp::BitAndAssign(_) => &["|=", "^="],
        BinOp::BitOrAssign(_) => &["&=", "^="],
        BinOp::ShlAssign(_) => &[">>="],
        BinOp::ShrAssign(_) => &["<<="],
        _ => &[],
    }
}

/// Plain values of a return type; those that do not fit it do not compile, and are told apart later.
fn returns(output: &ReturnType) -> Vec<String> {
    let owned = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
    let ReturnType::Type(_, output) = output else { return owned(&["()"]) };
    match &**output {
        Type::Tuple(tuple) if tuple.elems.is_empty() => owned(&["()"]),
        Type::Path(path) => {
            let Some(last) = path.path.segments.last() else { return Vec::new() };
            let inner = last.to_token_stream().to_string();
            match last.ident.to_string().as_str() {
                "bool" => owned(&["true", "false"]),
                "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => owned(&["0", "1"]),
                "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => owned(&["0", "1", "-1"]),
                "f32" | "f64" => owned(&["0.0", "1.0", "-1.0"]),
                "String" => owned(&["String::new()", "\"xyzzy\".into()"]),
                "Option" => owned(&["None", "Some(Default::default())"]),
                "Vec" => owned(&["vec![]", "vec![Default::default()]"]),
                "Result" if inner.starts_with("Result < ()") => owned(&["Ok(())"]),
                "Result" if inner.starts_with("Result < bool") => owned(&["Ok(true)", "Ok(false)"]),
                "Result" => owned(&["Ok(Default::default())"]),
                _ => owned(&["Default::default()"]),
            }
        }
        Type::Reference(reference) => match &*reference.elem {
            Type::Slice(_) if reference.mutability.is_none() => owned(&["&[]"]),
            Type::Path(path) if path.path.is_ident("str") => owned(&["\"\"", "\"xyzzy\""]),
            _ => Vec::new(),
        },
        Type::Tuple(_) | Type::Array(_) => owned(&["Default::default()"]),
        _ => Vec::new(),
    }
}
