"use strict";
// Stryker's element lives only while its addresses (#mutant/..., #test/...) are shown: it would
// take every other address for one of its own.
{
  const host = document.getElementById("mutant-browser");
  const quiet = new CSSStyleSheet();
  quiet.replaceSync("mte-theme-switch{display:none}");
  const isDark = () => document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const paint = () => host.firstChild && host.firstChild.setAttribute("theme", isDark() ? "dark" : "light");
  const follow = () => {
    if (!/^#\/?(mutant|test)(\/|$)/.test(location.hash)) { host.replaceChildren(); return; }
    if (host.firstChild) return;
    const app = document.createElement("mutation-test-report-app");
    app.report = JSON.parse(document.getElementById("data-mutant").textContent);
    host.append(app);
    app.shadowRoot.adoptedStyleSheets = [...app.shadowRoot.adoptedStyleSheets, quiet];
    paint();
  };
  addEventListener("hashchange", follow);
  new MutationObserver(paint).observe(document.documentElement, {attributeFilter: ["data-theme"]});
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
  follow();
}
