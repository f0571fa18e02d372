// The picture of the main job (search, inspect, execute): the recorded output of the tutorial, drawn as a terminal.
import { stepsOf } from "./examples.mjs";

const COMMANDS = ["anygpt search ", "anygpt inspect ", "anygpt execute "];
const COLUMNS = 92;
const FONT = { size: 13, width: 7.83, line: 17 };
const MARGIN = { x: 20, top: 50, bottom: 20 };
const COLOURS = {
  back: "#16181d",
  bar: "#24272e",
  text: "#d5d8de",
  dim: "#8b919d",
  prompt: "#7fb4ff",
  good: "#7fd08a",
};
const SECONDS_PER_STEP = 1.6;

/** An SVG of the first search, inspection and execution on the page; the steps appear one after the other. */
export function recordingSvg(tutorial) {
  const steps = [...tutorial.matchAll(/^```console run\n([\s\S]*?)^```$/gm)].flatMap(([, body]) => stepsOf(body));
  const chosen = COMMANDS.map((start) => steps.find(({ command }) => command.startsWith(start)));
  if (chosen.includes(undefined)) throw new Error(`The tutorial lacks one of the commands: ${COMMANDS.join(", ")}`);
  const groups = chosen.map(({ command, shown }) => [`$ ${command}`, ...shown.split("\n").flatMap(wrap), ""]);
  const rows = groups.reduce((sum, group) => sum + group.length, 0);
  const width = Math.round(COLUMNS * FONT.width + 2 * MARGIN.x);
  const height = MARGIN.top + (rows - 1) * FONT.line + MARGIN.bottom;
  let row = 0;
  const drawn = groups.map((lines, index) => {
    const texts = lines.map((line) => drawLine(line, MARGIN.top + FONT.line * (row++ + 0.5)));
    return `<g class="step" style="animation-delay:${(index * SECONDS_PER_STEP).toFixed(1)}s">\n${texts.filter(Boolean).join("\n")}\n</g>`;
  });
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" xml:space="preserve">`,
    "<title>A terminal: anygpt search finds a tool, anygpt inspect shows its parameters, anygpt execute runs it.</title>",
    `<style>text{font:${FONT.size}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:${COLOURS.text};white-space:pre}` +
      `.prompt{fill:${COLOURS.prompt};font-weight:600}.good{fill:${COLOURS.good}}.dim{fill:${COLOURS.dim}}` +
      "@keyframes show{from{opacity:0}to{opacity:1}}" +
      "@media (prefers-reduced-motion:no-preference){.step{animation:show .4s ease-out both}}</style>",
    `<rect width="${width}" height="${height}" rx="10" fill="${COLOURS.back}"/>`,
    `<path d="M0 10a10 10 0 0 1 10-10h${width - 20}a10 10 0 0 1 10 10v26H0z" fill="${COLOURS.bar}"/>`,
    ...["#ff5f57", "#febc2e", "#28c840"].map(
      (fill, index) => `<circle cx="${22 + 20 * index}" cy="18" r="6" fill="${fill}"/>`,
    ),
    ...drawn,
    "</svg>",
  ].join("\n")}\n`;
}

function drawLine(line, y) {
  if (line === "") return "";
  const kind = line.startsWith("$ ")
    ? "prompt"
    : /^(?:✓|\d+\. )/.test(line)
      ? "good"
      : /^ {2,}/.test(line)
        ? "dim"
        : "";
  const attribute = kind === "" ? "" : ` class="${kind}"`;
  return `<text x="${MARGIN.x}" y="${y}"${attribute}>${escape(line)}</text>`;
}

/** A line cut at spaces to the width of the picture; the continuation keeps its indentation. */
function wrap(line) {
  if (line.length <= COLUMNS) return [line];
  const [indent] = /^ */.exec(line);
  const at = line.lastIndexOf(" ", COLUMNS);
  const end = at > indent.length ? at : COLUMNS;
  return [line.slice(0, end), ...wrap(indent + line.slice(end).trimStart())];
}

function escape(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
