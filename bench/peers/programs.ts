/** One program in four libraries: how long each is, and what it does with a model server on this machine. */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LLMock } from '@copilotkit/aimock'

const folder = fileURLToPath(new URL('.', import.meta.url))
const root = join(folder, '../..')
const biome = join(root, 'node_modules/.bin/biome')

export const PROGRAMS = ['svc', 'ai-sdk', 'openai-agents', 'langgraph'] as const
export type Program = (typeof PROGRAMS)[number]

/** The others are there after `npm install --prefix bench/peers`. */
export const INSTALLED = PROGRAMS.filter((name) => name === 'svc' || existsSync(join(folder, 'node_modules/ai')))

/** The file as it stands. */
export const textOf = (program: Program): string => readFileSync(join(folder, `${program}.ts`), 'utf8')

/** Lines that say something, formatted to this width with nothing on lines of its own that fits on one. */
export function linesOf(program: Program, width: number): number {
  const format = [`--line-width=${width}`, '--javascript-formatter-expand=never', `--stdin-file-path=${program}.ts`]
  const text = execFileSync(biome, ['format', ...format], { cwd: folder, input: textOf(program), encoding: 'utf8' })
  return text.split('\n').filter((line) => !/^\s*(\/\/.*)?$/.test(line)).length
}

/** What the compiler says of all programs; empty if all is well. */
export function checkTypes(): string {
  try {
    return execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], {
      encoding: 'utf8',
    })
  } catch (failed) {
    return String(Reflect.get(failed as object, 'stdout'))
  }
}

/** A model that looks the order up, pays it back, and then says what the last tool answered. */
const ANSWERS = [
  { toolCalls: [{ name: 'get_order', arguments: '{"order":"A-17"}' }] },
  { toolCalls: [{ name: 'refund', arguments: '{"order":"A-17","euros":80}' }] },
]

export interface Ran {
  code: number | null
  /** What it printed, on both outputs. */
  said: string
  /** How often it asked the model. */
  requests: number
}

/** Runs a program; a person gives this reply to each of its questions. */
export async function runProgram(program: Program, reply: string): Promise<Ran> {
  const home = mkdtempSync(join(tmpdir(), 'svc-peers-'))
  const mock = new LLMock({ port: 0, host: '127.0.0.1' })
  let requests = 0
  mock.addFixture({
    match: { predicate: () => true },
    response: ({ messages }) => {
      requests++
      const results = messages.filter(({ role }) => role === 'tool')
      const refunded = results.some(({ content }) => JSON.stringify(content).includes('paid')) ? 80 : 0
      return (ANSWERS[results.length] ?? { content: JSON.stringify({ refunded }) }) as { content: string }
    },
  })
  await mock.start()
  const args = ['--conditions=@svc/source', '--import', import.meta.resolve('tsx'), join(folder, `${program}.ts`)]
  const child = spawn(process.execPath, args, {
    cwd: home,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      OPENAI_BASE_URL: `${mock.url}/v1`,
      OPENAI_API_KEY: 'mock-key-0123456789',
      OPENAI_AGENTS_DISABLE_TRACING: '1',
    },
  })
  let said = ''
  const hear = (chunk: Buffer): void => {
    const before = said.split('? ').length
    said += chunk
    for (let asked = before; asked < said.split('? ').length; asked++) child.stdin.write(`${reply}\n`)
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', (chunk) => (said += chunk))
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve))
  await mock.stop()
  rmSync(home, { recursive: true, force: true })
  return { code, said, requests }
}
