/**
 * Writes the reference pages from the specs that they describe: `npm run fix`, or with `--check` only says which page is not
 * as it would be written.
 *
 * Another page (config, tools, HTTP) is a function here that returns its text.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type CommandSpec, nameOf, type OptionSpec } from '../cli/src/line/command-spec.ts'
import { EXIT_CODES } from '../cli/src/line/exit-codes.ts'
import { SPECS } from '../cli/src/line/specs.ts'

/** By path from the root of the repository. */
const PAGES: Readonly<Record<string, () => string>> = { 'docs/reference/cli.md': commandLine }

const isCheck = process.argv.includes('--check')
const stale = Object.entries(PAGES).filter(([path, write]) => {
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url))
  const text = write()
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return false
  if (!isCheck) writeFileSync(file, text)
  return true
})
for (const [path] of stale) console.log(isCheck ? `${path} is stale: npm run fix` : `wrote ${path}`)
if (isCheck && stale.length > 0) process.exitCode = 1

/** Angle brackets would be a tag. */
function toProse(text: string): string {
  return text.replaceAll('<', '\\<')
}

/** Every command, option and exit code of `svc`. */
function commandLine(): string {
  const { commands, groups, options } = SPECS
  const about = (spec: CommandSpec): string => {
    const group = nameOf(spec).split(' ')
    const usual = groups[group[0] ?? '']?.usual
    const short = usual !== undefined && group[1] === usual ? `; \`svc ${group[0]}\` is the same` : ''
    const alias = spec.alias === undefined ? '' : `; \`svc ${spec.alias}\` is the same`
    return `${toProse(spec.about)}${short}${alias}`
  }
  return `${[
    '# Commands of `svc`',
    'Written from `cli/src/line/specs.ts` by `npm run fix`. How they are used: [cli.md](../cli.md), [runs.md](../runs.md).',
    table(
      ['command', 'what it does'],
      commands.map((spec) => [`[\`svc ${spec.usage}\`](#${anchorOf(spec)})`, about(spec)]),
    ),
    '## Options of every command',
    optionTable(options),
    '## Exit codes',
    table(['code', 'meaning'], EXIT_CODES),
    ...commands.flatMap((spec) => [
      `## svc ${nameOf(spec)}`,
      `\`svc ${spec.usage}\`: ${about(spec)}.`,
      ...(spec.options === undefined ? [] : [optionTable(spec.options)]),
      ...(spec.examples === undefined ? [] : [spec.examples.map((line) => `- \`${line}\``).join('\n')]),
    ]),
  ].join('\n\n')}\n`
}

function anchorOf(spec: CommandSpec): string {
  return `svc-${nameOf(spec).replaceAll(' ', '-')}`
}

function optionTable(options: readonly OptionSpec[]): string {
  return table(
    ['option', 'meaning'],
    options.map(([flags, about]) => [`\`${flags}\``, toProse(about)]),
  )
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
