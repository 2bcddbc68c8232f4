//! The pages that one can follow: what they tell to type prints what they show.

mod pages;

use pages::Page;
use pages::session::Session;

#[test]
fn the_tutorial_can_be_followed() {
    let followed = Session::new().follow(&Page::at("docs/tutorial.md"));
    assert!(followed >= 18, "only {followed} blocks");
}

#[test]
fn commands_end_as_the_page_about_exit_codes_says() {
    let followed = Session::new().follow(&Page::at("docs/reference/exit-codes.md"));
    assert!(followed >= 8, "only {followed} blocks");
}

/// Each in a directory of its own. Only the page about pipelines and the list of other tools have no command to type.
#[test]
fn the_how_to_pages_can_be_followed() {
    let mut followed = 0;
    for page in Page::all_of_the_book() {
        if page.name.starts_with("docs/how-to/") {
            let blocks = Session::new().follow(&page);
            let is_without =
                ["docs/how-to/ci.md", "docs/how-to/migrate/index.md"].contains(&page.name.as_str());
            assert_ne!(blocks > 0, is_without, "{}: {blocks} blocks", page.name);
            followed += blocks;
        }
    }
    assert!(followed >= 42, "only {followed} blocks");
}

#[test]
fn the_explanations_can_be_followed() {
    let pages = Page::all_of_the_book();
    let explanations = pages.iter().filter(|page| page.name.starts_with("docs/explanation/"));
    let followed: usize = explanations.map(|page| Session::new().follow(page)).sum();
    assert!(followed >= 11, "only {followed} blocks");
}

#[test]
#[should_panic(expected = "but the page shows:\nmilk")]
fn a_page_that_shows_something_else_is_noticed() {
    Session::new().follow(&Page::of("page.md", "```console\n$ echo tea\ntea\n$ echo tea\nmilk\n```\n"));
}

#[test]
#[should_panic(expected = "page.md:1")]
fn a_page_that_cannot_be_followed_is_noticed() {
    Session::new().follow(&Page::of("page.md", "```sh\nfalse\ntrue\n```\n"));
}

#[test]
fn a_line_of_dots_stands_for_any_lines() {
    let page = "```console\n$ seq 5\n1\n…\n4\n…\n$ (exit 3)\n$ echo $?\n3\n```\n";
    assert_eq!(Session::new().follow(&Page::of("page.md", page)), 1);
}
