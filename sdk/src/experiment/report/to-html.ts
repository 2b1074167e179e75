import { escapeHtml } from './escape-html.ts'
import type { ExperimentReport } from './experiment-report.ts'
import { toNumberOf } from './format-figures.ts'
import { REPORT_STYLE } from './report-style.ts'
import { type Block, type TableCell, toHref } from './section.ts'
import { toSections } from './to-sections.ts'

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

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
