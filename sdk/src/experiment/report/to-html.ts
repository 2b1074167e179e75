import { escapeHtml } from './escape-html.ts'
import type { ExperimentReport } from './experiment-report.ts'
import { toNumberOf } from './format-figures.ts'
import { type Block, type TableCell, toHref } from './section.ts'
import { toSections } from './to-sections.ts'

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

/** The report as one page that needs no script and no other file. What tasks and models said is text. */
export function toHtml(report: ExperimentReport): string {
  const { sample, comparisons } = report
  const sections = toSections(report).map(
    ({ title, blocks }, index) =>
      `<section aria-labelledby="s${index}"><h2 id="s${index}">${escapeHtml(title)}</h2>\n${blocks.map(toBlock).join('\n')}</section>`,
  )
  const size = [
    toNumberOf(sample.tasks, 'task'),
    toNumberOf(sample.seeds, 'seed'),
    `${toNumberOf(comparisons.length, 'arm')} against the base`,
  ]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(report.name)}: report</title>
<link rel="icon" href="data:,">
<style>${REPORT_STYLE}</style>
</head>
<body>
<header><h1>${escapeHtml(report.name)}</h1><p>${escapeHtml(size.join(', '))}</p></header>
<main>
${sections.join('\n')}
</main>
</body>
</html>
`
}

function toBlock(block: Block): string {
  if (block.kind === 'plot') return block.svg
  if (block.kind === 'text') return `<p>${escapeHtml(block.text)}</p>`
  if (block.kind === 'list') return `<ul>${block.items.map((item) => `<li>${escapeHtml(item)}</li>`).join('')}</ul>`
  const head = block.head.map((name) => `<th scope="col">${escapeHtml(name)}</th>`).join('')
  const rows = block.rows.map((row) => `<tr>${row.map(toCell).join('')}</tr>`).join('\n')
  const caption = escapeHtml(block.caption)
  return `<div class="scroll" role="region" tabindex="0" aria-label="${caption}"><table><caption>${caption}</caption>
<thead><tr>${head}</tr></thead>
<tbody>${rows}</tbody></table></div>`
}

const toCell = (cell: TableCell): string =>
  typeof cell === 'string'
    ? `<td>${escapeHtml(cell)}</td>`
    : `<td><a href="${escapeHtml(toHref(cell.path))}">${escapeHtml(cell.text)}</a></td>`

/** The style of the page, light and dark. The plot takes its colours from the same names. */
const REPORT_STYLE = `
:root{color-scheme:light dark;--back:#fff;--text:#1b1f24;--quiet:#57606a;--line:#d0d7de;--soft:#f3f5f7;--mark:#0a5bc4;--good:#1a7335;--bad:#b3261e;--band:#dfe9f7}
@media(prefers-color-scheme:dark){:root{--back:#0f1318;--text:#e6eaef;--quiet:#a0abb8;--line:#3a434e;--soft:#191f26;--mark:#79b0ff;--good:#63c787;--bad:#ff8a80;--band:#1d2b40}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1180px;padding:16px;background:var(--back);color:var(--text);font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
a{color:var(--mark)}
.scroll{overflow-x:auto;margin:1rem 0}
table{border-collapse:collapse;font-size:.875rem;min-width:100%;overflow-wrap:normal}
caption{text-align:left;font-weight:600;padding:.3rem 0}
th,td{text-align:left;vertical-align:top;padding:.35rem .7rem;border-bottom:1px solid var(--line);min-width:4.5rem;max-width:22rem}
th{background:var(--soft);white-space:nowrap}
td{overflow-wrap:break-word;font-variant-numeric:tabular-nums}
svg{display:block;width:100%;max-width:540px;background:var(--soft)}
svg text{font:11px system-ui,sans-serif;fill:var(--text)}
svg .quiet{fill:var(--quiet)}
svg .grid{stroke:var(--line)}
svg .zero{stroke:var(--quiet)}
svg .band{fill:var(--band)}
svg .mark{stroke:var(--mark);fill:var(--mark);stroke-width:2}
svg .good{stroke:var(--good);fill:var(--good);stroke-width:2}
svg .bad{stroke:var(--bad);fill:var(--bad);stroke-width:2}
svg .none{stroke:var(--quiet);fill:var(--quiet);stroke-width:2}
`
