/**
 * The estimate of tokens without a tokenizer, against the real one of the newer OpenAI models (o200k_base), on seven kinds
 * of text: chat, TypeScript, Python, Markdown, JSON, agent traces, and Chinese, Japanese and Korean.
 *
 * Texts are from the data folder, the project's own sources and documentation, and what Node and the system have on disk
 * (packages under node_modules, the Python library, message catalogs): a kind of which nothing is found is left out. The prices of the estimator were
 * fitted on texts of these kinds, so this says how well it fits them, not how it does on others.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { estimateTokens } from '@svc/core'
import { bootstrap, quantile } from './lib/bootstrap.ts'
import { type DataFolder, MissingData } from './lib/data.ts'
import type { Row } from './lib/row.ts'

/** Characters of one text, and most texts of one kind. */
const LENGTH = 1500
const MOST = 300

export default async function measure(data: DataFolder): Promise<Row[]> {
  const { countTokens } = await tokenizer()
  const rows: Row[] = []
  for (const [kind, texts] of Object.entries(samples(data))) {
    if (texts.length < 10) continue
    const errors = texts.map((text) => {
      const tokens = countTokens(text)
      return {
        ours: Math.abs(estimateTokens(text) - tokens) / tokens,
        quarter: Math.abs(text.length / 4 - tokens) / tokens,
      }
    })
    const p95 = (sample: readonly { ours: number; quarter: number }[], which: 'ours' | 'quarter'): number =>
      quantile(
        sample.map((each) => each[which]).sort((a, b) => a - b),
        0.95,
      )
    rows.push({
      component: 'estimator',
      measure: `absolute error p95, ${kind}`,
      n: texts.length,
      baseline: p95(errors, 'quarter'),
      value: p95(errors, 'ours'),
      ...bootstrap(errors, (sample) => p95(sample, 'ours'), { samples: 1000 }),
      aim: 0.2,
      better: 'less',
    })
  }
  return rows
}

/** Loaded when it is needed: it is megabytes large and a development dependency. */
async function tokenizer(): Promise<{ countTokens: (text: string) => number }> {
  try {
    return await import('gpt-tokenizer/encoding/o200k_base')
  } catch {
    throw new MissingData('gpt-tokenizer is not installed')
  }
}

function samples(data: DataFolder): Record<string, string[]> {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const modules = join(root, 'node_modules')
  const dialogues = data.load<{ conversations: { turns: { speaker: string; text: string }[] }[] }>('locomo-dev.json')
  const teams = data.load<{ history: { agent: string; content?: string }[] }[]>('who-and-when-dev.jsonl')
  const calls = data.load<{ request: unknown }[]>('cassettes-dev.jsonl.gz')
  const tools = data.load<unknown[]>('bfcl-dev.jsonl')
  const packages = filesUnder(modules, /^package\.json$/, 60).map((path) => readFileSync(path, 'utf8'))
  return {
    chat: spread(
      dialogues.conversations.flatMap(({ turns }) =>
        pieces(turns.map(({ speaker, text }) => `${speaker}: ${text}`).join('\n')),
      ),
    ),
    TypeScript: spread(
      read(filesUnder(join(root, 'core', 'src'), /\.ts$/, 80), filesUnder(join(modules, 'openai', 'src'), /\.ts$/, 80)),
    ),
    Python: spread(read(filesUnder(pythonLibrary(), /\.py$/, 120))),
    Markdown: spread(read(filesUnder(modules, /\.md$/, 150))),
    JSON: spread([
      ...packages.map(first),
      ...tools.slice(0, 80).map(toJson),
      ...calls.slice(0, 80).map(({ request }) => toJson(request)),
    ]),
    'agent traces': spread(
      teams.flatMap(({ history }) =>
        pieces(history.map(({ agent, content }) => `${agent}: ${content ?? ''}`).join('\n')),
      ),
    ),
    'Chinese, Japanese, Korean': spread(eastAsian(modules)),
  }
}

const toJson = (value: unknown): string => first(JSON.stringify(value))
const first = (text: string): string => wellFormed(text.slice(0, LENGTH))
const wellFormed = (text: string): string => (/[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text)

function pieces(text: string, length = LENGTH): string[] {
  const cut: string[] = []
  for (let from = 0; from < text.length; from += length) {
    const piece = wellFormed(text.slice(from, from + length)).replace(/^[\udc00-\udfff]/, '')
    if (piece.length >= 300) cut.push(piece)
  }
  return cut
}

const read = (...lists: string[][]): string[] =>
  lists.flatMap((paths) => paths.flatMap((path) => pieces(readFileSync(path, 'utf8')).slice(0, 3)))

/** At most so many, from all over the list. */
function spread(texts: readonly string[]): string[] {
  const long = texts.filter((text) => text.length >= 300)
  const every = Math.max(1, Math.floor(long.length / MOST))
  return long.filter((_, index) => index % every === 0).slice(0, MOST)
}

function filesUnder(folder: string, name: RegExp, most: number): string[] {
  const found: string[] = []
  const collect = (path: string, depth: number): void => {
    if (depth > 6 || found.length >= most) return
    for (const entry of readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (found.length >= most) return
      const child = join(path, entry.name)
      if (entry.isDirectory()) collect(child, depth + 1)
      else if (entry.isFile() && name.test(entry.name)) {
        const { size } = statSync(child)
        if (size > 800 && size < 400_000) found.push(child)
      }
    }
  }
  if (folder !== '' && existsSync(folder)) collect(folder, 0)
  return found
}

function pythonLibrary(): string {
  const versions = existsSync('/usr/lib') ? readdirSync('/usr/lib').filter((name) => /^python3\.\d+$/.test(name)) : []
  const [version] = versions.sort()
  return version === undefined ? '' : join('/usr/lib', version)
}

/** What programs of this system say: their message catalogs, and the readme files of packages. */
function eastAsian(modules: string): string[] {
  const texts: string[] = []
  for (const locale of ['zh_CN', 'zh_TW', 'ja', 'ko']) {
    const catalogs = filesUnder(join('/usr/share/locale', locale, 'LC_MESSAGES'), /\.mo$/, 100)
    texts.push(...catalogs.flatMap((path) => pieces(messagesOf(readFileSync(path)).join('\n'), 600).slice(0, 8)))
  }
  for (const path of filesUnder(modules, /^README\.(?:zh.*|ja|kr|ko)\.md$/i, 20))
    texts.push(...pieces(readFileSync(path, 'utf8'), 600))
  return texts.filter((text) => (text.match(/[\u3040-\u9fff\uac00-\ud7af]/g)?.length ?? 0) > text.length / 4)
}

/** The translations of a catalog of GNU gettext that are sentences. */
function messagesOf(bytes: Buffer): string[] {
  const isLittle = bytes.readUInt32LE(0) === 0x950412de
  const word = (at: number): number => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at))
  const table = word(16)
  return Array.from({ length: word(8) }, (_, index) => {
    const from = word(table + 8 * index + 4)
    return bytes.toString('utf8', from, from + word(table + 8 * index)).replaceAll('\0', '\n')
  }).filter((text, index) => index > 0 && text.length > 12)
}
