import type { ExperimentReport } from './experiment-report.ts'
import { type Block, type TableCell, toHref } from './section.ts'
import { toSections } from './to-sections.ts'

/** The report as GitHub Markdown. What tasks and models said is text: no markup of theirs counts. */
export function toMarkdown(report: ExperimentReport): string {
  const parts = toSections(report).map(({ title, blocks }) => `## ${title}\n\n${blocks.map(toBlock).join('\n\n')}`)
  return `${[`# ${escapeMarkdown(report.name)}`, ...parts].join('\n\n')}\n`
}

function toBlock(block: Block): string {
  if (block.kind === 'text') return escapeMarkdown(block.text)
  if (block.kind === 'list') return block.items.map((item) => `- ${escapeMarkdown(item)}`).join('\n')
  const head = `| ${block.head.map(escapeMarkdown).join(' | ')} |`
  const line = `|${block.head.map(() => ' --- |').join('')}`
  const rows = block.rows.map((row) => `| ${row.map(toCell).join(' | ')} |`)
  return [`**${escapeMarkdown(block.caption)}**\n`, head, line, ...rows].join('\n')
}

const toCell = (cell: TableCell): string =>
  typeof cell === 'string' ? escapeMarkdown(cell) : `[${escapeMarkdown(cell.text)}](${toHref(cell.path)})`

const escapeMarkdown = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\\`*_[\]|~#!]/g, (sign) => `\\${sign}`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
