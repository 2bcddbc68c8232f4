//! The documentation as a book: every page is in its table of contents, and every link leads somewhere.

mod pages;

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use pages::{Page, root};

#[test]
fn the_table_of_contents_lists_every_page_once() {
    let listed: Vec<String> =
        Page::at("docs/SUMMARY.md").links().into_iter().map(|link| format!("docs/{}", link.to)).collect();
    let written: Vec<String> = Page::all_of_the_book().into_iter().map(|page| page.name).collect();
    let once: BTreeSet<&String> = listed.iter().collect();
    assert_eq!(once.len(), listed.len(), "a page stands twice in docs/SUMMARY.md");
    assert_eq!(once, written.iter().collect(), "docs/SUMMARY.md lists the left, docs/ holds the right");
}

#[test]
fn every_link_leads_somewhere() {
    let mut pages = Page::all_of_the_book();
    let beside = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/SUMMARY.md"];
    pages.extend(beside.map(Page::at));
    let mut checked = 0;
    for page in &pages {
        for link in page.links() {
            if link.to.contains("://") {
                continue;
            }
            if let Err(reason) = leads_somewhere(page, &link.to) {
                panic!("{}: {} {reason}", link.place, link.to);
            }
            checked += 1;
        }
    }
    assert!(checked > 100, "only {checked} links were found");
}

#[test]
fn headings_have_the_names_that_github_and_mdbook_give_them() {
    let page = Page::of(
        "page.md",
        "# A `cli.run`\n## It's so\n## It's so\n## x_y – z\n## Ärger\n```\n# no heading\n```\n",
    );
    let names: Vec<String> = page.anchors().into_iter().collect();
    assert_eq!(
        names,
        ["a-clirun", "its-so", "its-so-1", "x_y--z"],
        "the last is 'ärger' on GitHub and 'Ärger' in the book"
    );
}

/// A link leads to a file, and its anchor to a heading in it. The book holds nothing but docs/, so its pages stay in there.
fn leads_somewhere(page: &Page, link: &str) -> Result<(), String> {
    let (file, anchor) = link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
    let here = Path::new(&page.name);
    let target = if file.is_empty() { here.to_owned() } else { resolved(&here.with_file_name(file)) };
    if !root().join(&target).exists() {
        return Err("leads nowhere".to_owned());
    }
    if page.name.starts_with("docs/") && !target.starts_with("docs") {
        return Err("leads out of the book".to_owned());
    }
    match anchor {
        Some(anchor) if !Page::at(target.to_str().unwrap()).anchors().contains(anchor) => {
            Err(format!("leads to no heading of {}", target.display()))
        }
        _ => Ok(()),
    }
}

/// The same path without `..`.
fn resolved(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}
