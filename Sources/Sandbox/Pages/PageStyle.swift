/// The one style sheet of the pages: light and dark, from a narrow phone up, no script, no font
/// and no picture to load.
enum PageStyle {
  static let text = """
    :root {
      color-scheme: light dark;
      --ground: #eeece7; --card: #fffefb; --ink: #1f1d1a; --soft: #635e56; --line: #dcd7cd; --edge: #8a857c;
      --field: #ffffff; --accent: #2c5f55; --accent-ink: #ffffff; --tint: #e7efec;
      --danger: #9c2f24; --danger-tint: #faeae7; --ring: #2c5f55;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --ground: #131514; --card: #1c1f1e; --ink: #eceae5; --soft: #a5a39c; --line: #343836; --edge: #6f7571;
        --field: #141716; --accent: #7fc4b2; --accent-ink: #0c1f1a; --tint: #20302c;
        --danger: #f3a79c; --danger-tint: #3a211e; --ring: #7fc4b2;
      }
    }
    * { box-sizing: border-box; }
    body {
      margin: 0; min-height: 100vh; min-height: 100dvh; display: flex; flex-direction: column;
      align-items: center; justify-content: center; padding: 2rem 1rem; gap: 1.25rem;
      background: var(--ground); color: var(--ink);
      font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, Cantarell, "Noto Sans",
        sans-serif;
    }
    main {
      width: 100%; max-width: 27.5rem; padding: 2rem; background: var(--card);
      border: 1px solid var(--line); border-radius: 1.125rem;
      box-shadow: 0 1px 2px #0000000d, 0 12px 32px -12px #0000002e;
    }
    footer { max-width: 27.5rem; color: var(--soft); font-size: .8125rem; text-align: center; }
    h1 { margin: 0 0 .375rem; font-size: 1.375rem; line-height: 1.25; font-weight: 650;
      letter-spacing: -.01em; text-wrap: balance; }
    p { margin: 0 0 1rem; }
    .soft { color: var(--soft); }
    .small { font-size: .875rem; }
    .tile {
      display: grid; place-items: center; width: 3rem; height: 3rem; margin-bottom: 1.125rem;
      border-radius: .875rem; background: var(--accent); color: var(--accent-ink);
      font-size: 1.375rem; font-weight: 700;
    }
    .name { overflow-wrap: anywhere; }
    .problem {
      margin: 0 0 1.25rem; padding: .75rem .875rem; border-radius: .625rem;
      background: var(--danger-tint); color: var(--danger); font-size: .9375rem;
    }
    label.field { display: block; margin: 0 0 1rem; font-size: .875rem; font-weight: 600; }
    label.field span { display: block; margin-bottom: .3125rem; }
    label.field .row { display: flex; align-items: stretch; margin: 0; }
    label.field .row input { border-radius: .625rem 0 0 .625rem; min-width: 0; }
    label.field .row input:focus-visible { position: relative; z-index: 1; }
    label.field .row .suffix {
      margin: 0; padding: .6875rem .75rem; border: 1px solid var(--edge); border-left: 0;
      border-radius: 0 .625rem .625rem 0; background: var(--tint); color: var(--soft);
      font-weight: 400; font-size: 1rem; white-space: nowrap;
    }
    input[type=text], input[type=password], input[type=email] {
      width: 100%; padding: .6875rem .75rem; font: inherit; font-size: 1rem; font-weight: 400;
      color: inherit; background: var(--field); border: 1px solid var(--edge);
      border-radius: .625rem;
    }
    input[type=checkbox] { width: 1.125rem; height: 1.125rem; margin: .1875rem 0 0;
      accent-color: var(--accent); flex: none; }
    label.check { display: flex; gap: .625rem; margin: 0 0 1.25rem; font-size: .9375rem; }
    button {
      width: 100%; padding: .75rem 1rem; font: inherit; font-weight: 600; cursor: pointer;
      color: var(--accent-ink); background: var(--accent); border: 1px solid var(--accent);
      border-radius: .625rem;
    }
    button.quiet { color: var(--ink); background: transparent; border-color: var(--edge); }
    button:hover { filter: brightness(1.06); }
    button.quiet:hover { background: var(--tint); filter: none; }
    a { color: var(--accent); text-underline-offset: .15em; }
    :focus-visible { outline: 3px solid var(--ring); outline-offset: 2px; }
    .buttons { display: grid; gap: .625rem; margin-top: 1.25rem; }
    .beside { grid-template-columns: 1fr 1fr; }
    .or { display: flex; align-items: center; gap: .75rem; margin: 1.25rem 0; color: var(--soft);
      font-size: .8125rem; }
    .or::before, .or::after { content: ""; flex: 1; border-top: 1px solid var(--line); }
    .after { margin: 1.25rem 0 0; text-align: center; font-size: .9375rem; }
    .account { display: flex; align-items: center; gap: .75rem; margin: 0 0 .625rem;
      padding: .625rem .75rem; border: 1px solid var(--line); border-radius: .75rem; }
    button.account { width: 100%; text-align: left; font-weight: 500; }
    .account div { min-width: 0; }
    .dot { display: grid; place-items: center; flex: none; width: 2.125rem; height: 2.125rem;
      border-radius: 50%; background: var(--tint); color: var(--accent); font-weight: 700; }
    fieldset { margin: 1.25rem 0 0; padding: 0; border: 0; min-width: 0; }
    legend { padding: 0; margin-bottom: .25rem; font-size: .875rem; font-weight: 600;
      color: var(--soft); }
    ul { list-style: none; margin: 0; padding: 0; }
    li { border-top: 1px solid var(--line); }
    li:first-child { border-top: 0; }
    li label, li .fixed { display: flex; gap: .75rem; padding: .5625rem 0; }
    li label { cursor: pointer; }
    li b { display: block; font-weight: 550; }
    li small { display: block; color: var(--soft); font-size: .8125rem; line-height: 1.4; }
    li form { padding: .25rem 0 .875rem; }
    ul + form { margin-top: 1.25rem; }
    .tick { flex: none; width: 1.125rem; text-align: center; color: var(--accent);
      font-weight: 700; }
    details { margin-top: .75rem; font-size: .8125rem; color: var(--soft); }
    summary { cursor: pointer; padding: .375rem 0; }
    code { font-family: ui-monospace, "Cascadia Mono", "DejaVu Sans Mono", monospace;
      font-size: .75rem; overflow-wrap: anywhere; }
    details code { display: block; padding: .125rem 0; }
    @media (max-width: 26rem) {
      body { padding: 0; justify-content: flex-start; background: var(--card); gap: 0; }
      main { max-width: none; border: 0; border-radius: 0; box-shadow: none;
        padding: 1.5rem 1.25rem; }
      footer { padding: 0 1.25rem 1.5rem; }
    }
    """
}
