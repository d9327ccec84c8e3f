// Looks at the page that is open, with all its folds unfolded, and returns what
// is wrong with it as a list of sentences.
(() => {
  const wrong = [];
  const say = (s) => { if (wrong.length < 25) wrong.push(s); };
  for (const d of document.querySelectorAll('details')) d.open = true;
  const root = document.documentElement;
  // Not innerWidth: on a telephone that grows with a page that is too wide.
  const width = root.clientWidth;
  if (root.scrollWidth > width) {
    say(`the page is ${root.scrollWidth} wide in a window of ${width}`);
    for (const e of document.querySelectorAll('body *')) {
      const r = e.getBoundingClientRect();
      if (r.right > width + 1 && !e.closest('.wide')) { say(`<${e.tagName} class="${e.getAttribute('class')}"> ends at ${r.right}: ${e.textContent.slice(0, 40)}`); break; }
    }
  }

  // Nothing is empty.
  const words = (e) => e.textContent.trim();
  for (const e of document.querySelectorAll('section, figure, details, summary, table, tr, dl, ul, h1, h2, h3, figcaption, .block, .big b, li, dd')) {
    if (words(e) === '' ) say(`<${e.tagName} id="${e.id}" class="${e.className}"> is empty`);
    else if (e.getBoundingClientRect().height < 2) say(`<${e.tagName} id="${e.id}"> has no height: ${words(e).slice(0, 40)}`);
  }
  for (const e of document.querySelectorAll('section')) {
    if (e.getBoundingClientRect().height < 60) say(`section ${e.id} has hardly any content`);
  }
  if (/NaN|undefined|Infinity|%!/.test(document.body ? document.body.innerText : root.textContent)) say('there are words of a program that went wrong');

  // Links lead somewhere.
  for (const a of document.querySelectorAll('a[href^="#"]')) {
    if (!document.getElementById(a.getAttribute('href').slice(1))) say(`${a.getAttribute('href')} leads nowhere`);
  }

  const overlap = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2;
  const charts = [...document.querySelectorAll('svg')].filter((s) => !s.parentElement || !s.parentElement.closest('svg'));
  if (charts.length === 0) say('there are no charts');
  for (const svg of charts) {
    const name = svg.getAttribute('aria-label') || svg.getAttribute('class');
    const frame = svg.getBoundingClientRect();
    const shapes = [...svg.querySelectorAll('rect, circle, path, polyline, polygon, line')];
    const visible = shapes.filter((s) => { const r = s.getBoundingClientRect(); return r.width + r.height > 0.5; });
    if (frame.width < 10 || frame.height < 10) say(`${name}: the chart is ${frame.width} by ${frame.height}`);
    if (visible.length === 0) say(`${name}: nothing is drawn`);
    if (!svg.matches('.strip, .key')) {
      if (svg.getAttribute('role') !== 'img' || !svg.getAttribute('aria-label') || !svg.querySelector('title, text')) say(`${name}: says nothing to those who can't see it`);
    }
    const texts = [...svg.querySelectorAll('text')].map((t) => ({ t, r: t.getBoundingClientRect() }));
    for (const { t, r } of texts) {
      if (words(t) === '') say(`${name}: an empty label`);
      if (r.left < frame.left - 1 || r.right > frame.right + 1 || r.top < frame.top - 1 || r.bottom > frame.bottom + 1) {
        say(`${name}: "${words(t)}" leaves the chart: ${Math.round(r.left - frame.left)} to ${Math.round(r.right - frame.left)} of ${Math.round(frame.width)}`);
      }
      const scale = svg.getScreenCTM().a;
      const px = parseFloat(getComputedStyle(t).fontSize) * scale;
      if (px < 8.9) say(`${name}: "${words(t)}" is ${px.toFixed(1)} pixels high`);
    }
    for (let i = 0; i < texts.length; i++) {
      for (let k = i + 1; k < texts.length; k++) {
        if (overlap(texts[i].r, texts[k].r)) say(`${name}: "${words(texts[i].t)}" and "${words(texts[k].t)}" overlap`);
      }
    }
    for (const s of visible) {
      const r = s.getBoundingClientRect();
      if (r.left < frame.left - 2 || r.right > frame.right + 2 || r.top < frame.top - 2 || r.bottom > frame.bottom + 2) say(`${name}: a <${s.tagName} class="${s.getAttribute('class')}"> leaves the chart`);
    }
  }

  // In tables, no cell's words reach into the next cell.
  for (const c of document.querySelectorAll('td, th')) {
    if (c.scrollWidth > c.clientWidth + 1) say(`the cell "${words(c)}" overflows`);
  }

  // Words can be read: 4.5 to 1 between them and the page.
  const light = (c) => { const [r, g, b] = c.match(/[\d.]+/g).map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  if (document.body) {
    const paper = light(getComputedStyle(document.body).backgroundColor);
    for (const e of document.querySelectorAll('p, b, small, span, th, td, li, dt, dd, h1, h2, h3, a, text')) {
      const ink = light(e.matches('text') ? getComputedStyle(e).fill : getComputedStyle(e).color);
      const ratio = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
      if (ratio < 4.5) say(`"${words(e).slice(0, 30)}" has a contrast of ${ratio.toFixed(1)} to the page`);
    }
  }
  return wrong;
})()
