"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const STATES = ["missed", "hit", "unreachable", "deprecated"];
  const PAGE = 100;
  const make = (tag, name, text) => {
    const element = document.createElement(tag);
    if (name) element.className = name;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const targets = data.targets.map(([dimension, state, path, what, id, why, first]) => ({
    dimension: data.dimensions[dimension], state: STATES[state], path, what, id, why, first,
    text: `${path} ${what} ${id}`.toLowerCase(),
  }));
  const chosen = { text: "", state: "all", dimensions: new Set(data.dimensions) };

  // The tree holds only what the filters let through; its parts become elements when they are opened.
  const grow = () => {
    const root = branch("#");
    let n = 0;
    for (const target of targets) {
      if (!chosen.dimensions.has(target.dimension)) continue;
      if (chosen.state !== "all" && target.state !== chosen.state) continue;
      if (chosen.text && !target.text.includes(chosen.text)) continue;
      n += 1;
      const cut = target.path.indexOf("#");
      const tokens = target.path.slice(cut + 1).split("/").slice(1);
      if (cut > 0) tokens.unshift(target.path.slice(0, cut));
      let at = root;
      count(at, target);
      for (const token of tokens) {
        if (!at.children.has(token)) at.children.set(token, branch(token));
        at = at.children.get(token);
        count(at, target);
      }
      at.targets.push(target);
    }
    return [root, n];
  };
  const branch = (key) => ({ key, children: new Map(), targets: [], hit: 0, all: 0, missed: 0 });
  const count = (at, target) => {
    if (target.state === "hit") at.hit += 1;
    if (target.state === "missed") at.missed += 1;
    if (target.state === "hit" || target.state === "missed") at.all += 1;
  };
  const unescape = (token) => token.replace(/~1/g, "/").replace(/~0/g, "~");
  const WORDS = new Set(["properties", "patternProperties", "additionalProperties", "items", "prefixItems", "allOf", "anyOf",
    "oneOf", "if", "then", "else", "$defs", "definitions", "dependentSchemas", "contains", "propertyNames", "components", "schemas"]);

  const show = (at, isOpen) => {
    const details = make("details");
    const summary = make("summary");
    // A chain of single steps is one line.
    const keys = [at.key];
    while (at.targets.length === 0 && at.children.size === 1) {
      at = at.children.values().next().value;
      keys.push(at.key);
    }
    keys.forEach((key, index) => {
      if (index) summary.append(make("span", "key word", "/"));
      summary.append(make("span", WORDS.has(key) && index < keys.length - 1 ? "key word" : "key", unescape(key) || '""'));
    });
    const tally = at.all ? `${at.hit} of ${at.all}` : "unreachable";
    summary.append(make("span", `tally ${at.all && at.hit === at.all ? "full" : at.all && !at.hit ? "none" : ""}`, tally));
    details.append(summary);
    let isFilled = false;
    const fill = () => {
      if (isFilled) return;
      isFilled = true;
      if (at.targets.length) details.append(list(at.targets));
      spread([...at.children.values()], details);
    };
    details.fill = () => {
      fill();
      details.open = true;
      // A branch that is alone at its level hides everything; it opens with its parent.
      const inner = [...details.children].filter((child) => child.fill);
      if (inner.length === 1) inner[0].fill();
    };
    details.missed = at.missed;
    details.addEventListener("toggle", () => details.open && fill());
    if (isOpen) details.fill();
    return details;
  };
  const spread = (children, into) => {
    for (const child of children.slice(0, PAGE)) into.append(show(child, false));
    if (children.length > PAGE) into.append(more(children.length - PAGE, () => spread(children.slice(PAGE), into)));
  };
  const list = (rows) => {
    const items = make("ul", "targets");
    const add = (from) => {
      for (const target of rows.slice(from, from + PAGE)) items.append(line(target));
      if (rows.length > from + PAGE) items.append(more(rows.length - from - PAGE, () => add(from + PAGE)));
    };
    add(0);
    return items;
  };
  const more = (n, act) => {
    const button = make("button", "more", `Show more (${n} left)`);
    button.type = "button";
    button.addEventListener("click", () => { button.remove(); act(); });
    return button;
  };
  const line = (target) => {
    const item = make("li");
    item.title = target.id;
    item.append(make("span", `badge ${target.state}`, target.state), make("span", "what", target.what));
    if (target.why) item.append(make("span", "why", target.why));
    if (target.first !== null) item.append(first(target.first));
    return item;
  };
  const first = (number) => {
    const why = make("span", "why", `first hit by ${data.names[number] ?? `instance ${number}`} `);
    const text = data.instances[number];
    if (text !== undefined) {
      const button = make("button", "", "Show it");
      button.type = "button";
      button.setAttribute("aria-expanded", "false");
      button.addEventListener("click", () => {
        const shown = why.querySelector("pre");
        if (shown) shown.remove(); else why.append(make("pre", "", text));
        button.setAttribute("aria-expanded", String(!shown));
      });
      why.append(button);
    }
    return why;
  };

  const tree = document.getElementById("tree");
  const render = () => {
    const [root, n] = grow();
    document.getElementById("count").textContent = n === targets.length ? `${n} targets` : `${n} of ${targets.length} targets`;
    tree.replaceChildren(...(n ? [show(root, true)] : [make("p", "quiet", "Nothing fits these filters.")]));
    if (n && n <= 60 && (chosen.text || chosen.state !== "all")) openAll(tree.firstChild);
  };
  const openAll = (details) => {
    details.fill();
    for (const child of details.children) if (child.fill) openAll(child);
  };

  const search = document.getElementById("search");
  let waiting = 0;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => { chosen.text = search.value.trim().toLowerCase(); render(); }, 120);
  });
  document.getElementById("filters").addEventListener("submit", (event) => event.preventDefault());
  for (const radio of document.querySelectorAll("input[name=state]")) {
    radio.addEventListener("change", () => { chosen.state = radio.value; render(); });
  }
  const dimensions = document.getElementById("dimensions");
  for (const name of data.dimensions) {
    const label = make("label", "chip");
    const box = make("input");
    box.type = "checkbox";
    box.checked = true;
    box.name = "dimension";
    box.value = name;
    box.addEventListener("change", () => {
      if (box.checked) chosen.dimensions.add(name); else chosen.dimensions.delete(name);
      render();
    });
    label.append(box, make("span", "", name));
    dimensions.append(label);
  }
  // A page of a hundred open branches is still readable; a page of ten thousand is not.
  document.getElementById("expand").addEventListener("click", () => {
    const open = [tree.firstChild];
    let left = 100;
    while (open.length && left > 0) {
      const details = open.shift();
      if (!details || !details.fill) continue;
      details.fill();
      left -= 1;
      for (const child of details.children) if (child.fill && child.missed) open.push(child);
    }
  });
  document.addEventListener("keydown", (event) => {
    const at = document.activeElement;
    if (event.key === "/" && at !== search) { event.preventDefault(); search.focus(); return; }
    if (event.key === "Escape" && at === search) { search.value = ""; chosen.text = ""; render(); return; }
    if (!at || at.tagName !== "SUMMARY") return;
    const all = [...tree.querySelectorAll("summary")].filter((summary) => summary.offsetParent !== null);
    const here = all.indexOf(at);
    const details = at.parentElement;
    const go = (summary) => { if (summary) summary.focus(); };
    if (event.key === "ArrowDown") go(all[here + 1]);
    else if (event.key === "ArrowUp") go(all[here - 1]);
    else if (event.key === "ArrowRight") { if (details.open) go(all[here + 1]); else details.fill(); }
    else if (event.key === "ArrowLeft") {
      if (details.open) details.open = false; else go(details.parentElement.closest("details")?.querySelector("summary"));
    } else return;
    event.preventDefault();
  });
  render();
})();
