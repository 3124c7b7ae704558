// Finds text that a reader of this page cannot read, and writes what it found into the page.
//
// Run by check_layout.py in a copy of the page. Every text node is looked at, also in <details>, in
// inline SVG, and in SVG images, which are put into the page for that.
//
//   clipped     beyond the page, its picture or a box that hides what does not fit; what a box
//               scrolls to is not clipped
//   covered     below something else that is painted
//   overlapping on another text
//   small       less than 9 pixels high, after all scaling
//   pale        a contrast to what is behind it of less than 4.5, or 3 where it is large (WCAG 2, AA)
//   sideways    the page itself, wider than the window
"use strict";
(() => {
  const SMALLEST_PIXELS = 9, LEAST_CONTRAST = 4.5, LEAST_CONTRAST_LARGE = 3;
  const SLACK_PIXELS = 1.5;
  const SVG = "http://www.w3.org/2000/svg";
  const findings = [];

  // The words before a <title> or a style sheet are not shown.
  const isShown = (element) => {
    if (element.closest("script, style, title, desc, defs, head, noscript")) return false;
    const style = getComputedStyle(element);
    return style.visibility === "visible" && style.display !== "none" && element.getClientRects().length > 0;
  };

  const parentOf = (element) =>
    element.parentElement || (element.getRootNode() instanceof ShadowRoot ? element.getRootNode().host : null);

  const placeOf = (element) => {
    for (let at = element; at; at = parentOf(at)) {
      if (at.tagName === "section" || at.tagName === "SECTION") return at.id;
    }
    return "";
  };

  const report = (kind, run, detail) =>
    findings.push({ kind, place: placeOf(run.element), text: run.text.slice(0, 60), detail });

  // An image's elements are out of reach: the same picture, at the same size, in a tree of its own.
  const openImages = () => {
    for (const image of document.querySelectorAll('img[src^="data:image/svg+xml"]')) {
      const [head, data] = [image.src.slice(0, image.src.indexOf(",")), image.src.slice(image.src.indexOf(",") + 1)];
      const bytes = head.endsWith(";base64") ? Uint8Array.from(atob(data), (c) => c.charCodeAt(0)) : null;
      const text = bytes ? new TextDecoder().decode(bytes) : decodeURIComponent(data);
      const { width, height } = image.getBoundingClientRect();
      const host = document.createElement("div");
      host.style.cssText = `width:${width}px;height:${height}px;overflow:hidden`;
      image.replaceWith(host);
      host.attachShadow({ mode: "open" }).innerHTML = text;
      const svg = host.shadowRoot.querySelector("svg");
      if (!svg) continue;
      svg.style.width = `${width}px`;
      svg.style.height = `${height}px`;
      svg.style.display = "block";
    }
  };

  const textNodes = (root) => {
    const nodes = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.nodeType === Node.TEXT_NODE && node.data.trim()) nodes.push(node);
      if (node.shadowRoot) nodes.push(...textNodes(node.shadowRoot));
    }
    return nodes;
  };

  const isSvgText = (element) => element.namespaceURI === SVG;

  const pixelsOf = (element) => {
    const pixels = parseFloat(getComputedStyle(element).fontSize);
    const graphics = isSvgText(element) && element.closest("text");
    if (!graphics) return pixels;
    const { a, b, c, d } = graphics.getScreenCTM();
    return pixels * Math.sqrt(Math.abs(a * d - b * c));
  };

  const scrollerOf = (element) => {
    for (let at = element; at && at !== document.documentElement; at = parentOf(at)) {
      if (/auto|scroll/.test(getComputedStyle(at).overflowX)) return at;
    }
    return null;
  };

  const rectsOf = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return [...range.getClientRects()].filter((rect) => rect.width > 0 && rect.height > 0);
  };

  // ---- colors

  const parse = (color) => {
    const numbers = (color.match(/rgba?\(([^)]*)\)/) || [])[1];
    if (!numbers) return null;
    const [red, green, blue, alpha = 1] = numbers.split(/[ ,/]+/).map(Number);
    return { red, green, blue, alpha };
  };

  const over = (front, back) => {
    const mixed = (name) => front[name] * front.alpha + back[name] * (1 - front.alpha);
    return { red: mixed("red"), green: mixed("green"), blue: mixed("blue"), alpha: 1 };
  };

  const luminance = ({ red, green, blue }) => {
    const [r, g, b] = [red, green, blue].map((byte) => {
      const value = byte / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };

  const contrast = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };

  // What an element paints where it is hit; null: nothing, or a pattern, of which a color is not known.
  const paintOf = (element) => {
    const style = getComputedStyle(element);
    const isShape = element.namespaceURI === SVG && element.tagName !== "svg";
    if (isShape && element.closest("text")) return null;
    const color = parse(!isShape ? style.backgroundColor : element.tagName === "line" ? style.stroke : style.fill);
    if (!color) return null;
    color.alpha *= parseFloat(style.opacity) * (isShape ? parseFloat(style.fillOpacity) : 1);
    return color.alpha > 0 ? color : null;
  };

  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const canvas = () => {
    const isDarkPage = isDark && /dark/.test(getComputedStyle(document.documentElement).colorScheme);
    const value = isDarkPage ? 18 : 255;
    return { red: value, green: value, blue: value, alpha: 1 };
  };

  // All elements at a point, the topmost first, in all trees.
  const elementsAt = (x, y) => {
    const through = (root) =>
      root.elementsFromPoint(x, y).flatMap((element) =>
        element.shadowRoot && root !== element.shadowRoot ? [...through(element.shadowRoot), element] : [element]);
    return [...new Set(through(document))];
  };

  const related = (one, other) => {
    for (let at = one; at; at = parentOf(at)) if (at === other) return true;
    for (let at = other; at; at = parentOf(at)) if (at === one) return true;
    return false;
  };

  // ---- checks

  const checkClipped = (run) => {
    const scroller = run.scroller;
    for (const rect of run.rects) {
      for (let at = run.element, inside = true; at; at = parentOf(at)) {
        const style = getComputedStyle(at);
        const hides = /hidden|clip/.test(style.overflowX + style.overflowY);
        if (at === scroller) inside = false;
        if (!hides || at === document.body || at === document.documentElement) continue;
        const box = at.getBoundingClientRect();
        const beyond = Math.max(box.left - rect.left, rect.right - box.right, box.top - rect.top, rect.bottom - box.bottom);
        if (inside && beyond > SLACK_PIXELS) {
          report("clipped", run, `${beyond.toFixed(1)} px beyond its ${at.tagName.toLowerCase()}`);
          return;
        }
      }
      const box = scroller ? scroller.getBoundingClientRect() : { left: 0 };
      const left = scroller ? box.left - scroller.scrollLeft : 0;
      const right = scroller ? left + scroller.scrollWidth : innerWidth;
      const beyond = Math.max(left - rect.left, rect.right - right);
      if (beyond > SLACK_PIXELS) {
        report("clipped", run, `${beyond.toFixed(1)} px beyond the page`);
        return;
      }
    }
  };

  const checkSmall = (run) => {
    const pixels = pixelsOf(run.element);
    if (pixels < SMALLEST_PIXELS) report("small", run, `${pixels.toFixed(1)} px`);
  };

  // Boxes of text are higher than its letters.
  const letters = (rect) => ({
    left: rect.left, right: rect.right, top: rect.top + rect.height * 0.2, bottom: rect.bottom - rect.height * 0.2,
  });

  const checkOverlapping = (runs) => {
    const boxes = runs.flatMap((run) => run.rects.map((rect) => ({ run, ...letters(rect) })));
    boxes.sort((a, b) => a.top - b.top);
    for (let i = 0; i < boxes.length; ++i) {
      for (let j = i + 1; j < boxes.length && boxes[j].top < boxes[i].bottom; ++j) {
        const [a, b] = [boxes[i], boxes[j]];
        if (a.run === b.run || a.run.scroller !== b.run.scroller) continue;
        const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (width > SLACK_PIXELS && height > SLACK_PIXELS) {
          report("overlapping", a.run, `${width.toFixed(1)} px on "${b.run.text.slice(0, 60)}"`);
        }
      }
    }
  };

  // The run is scrolled into the window first.
  const checkPainted = (run) => {
    run.element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const rects = rectsOf(run.node);
    if (rects.length === 0) return;
    const style = getComputedStyle(run.element);
    const pixels = pixelsOf(run.element);
    const isLarge = pixels >= 24 || (pixels >= 18.66 && parseInt(style.fontWeight) >= 600);
    const least = isLarge ? LEAST_CONTRAST_LARGE : LEAST_CONTRAST;
    const { left, width, top, height } = rects[0];
    let worst = null;
    for (const share of [0.1, 0.5, 0.9]) {
      const elements = elementsAt(left + width * share, top + height / 2);
      const at = elements.findIndex((element) => related(element, run.element));
      const before = elements.slice(0, Math.max(at, 0)).find((element) => (paintOf(element) || { alpha: 0 }).alpha > 0.5);
      if (before && share === 0.5) return report("covered", run, `by ${before.tagName} ${before.getAttribute("class") || ""}`);
      const layers = [];
      for (const element of elements.slice(Math.max(at, 0))) {
        const paint = paintOf(element);
        if (paint) layers.push(paint);
        if (paint && paint.alpha === 1) break;
      }
      const back = layers.reduceRight((below, layer) => over(layer, below), canvas());
      const front = parse(isSvgText(run.element) ? style.fill : style.color);
      if (!front) continue;
      for (let element = run.element; element; element = parentOf(element)) {
        front.alpha *= parseFloat(getComputedStyle(element).opacity);
      }
      const value = contrast(over(front, back), back);
      if (worst === null || value < worst) worst = value;
    }
    if (worst !== null && worst < least) report("pale", run, `contrast ${worst.toFixed(2)}, not ${least}`);
  };

  const check = () => {
    for (const details of document.querySelectorAll("details")) details.open = true;
    openImages();
    const runs = [];
    for (const node of textNodes(document.documentElement)) {
      const element = node.parentElement || node.getRootNode().host;
      if (!isShown(element)) continue;
      const rects = rectsOf(node);
      if (rects.length === 0) continue;
      runs.push({ node, element, rects, text: node.data.trim().replace(/\s+/g, " "), scroller: scrollerOf(element) });
    }
    if (document.documentElement.scrollWidth > innerWidth + SLACK_PIXELS) {
      findings.push({ kind: "sideways", place: "", text: "", detail: `${document.documentElement.scrollWidth} px wide` });
    }
    runs.forEach(checkClipped);
    runs.forEach(checkSmall);
    checkOverlapping(runs);
    runs.forEach(checkPainted);
    return runs.length;
  };

  const write = (answer) => {
    document.documentElement.innerHTML = "<body></body>";
    document.body.dataset.layout = encodeURIComponent(JSON.stringify(answer));
  };
  addEventListener("load", () => {
    try {
      const texts = check();
      write({ theme: isDark ? "dark" : "light", width: innerWidth, texts, findings });
    } catch (error) {
      write({ error: `${error}\n${error.stack}` });
    }
  });
})();
