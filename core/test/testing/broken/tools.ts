import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Tool, ToolError } from '../../../src/index.ts'

const PATH = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
const NOTHING = { type: 'object', properties: {} }

const tool = (id: string, run: Tool['run'], rest: Partial<Tool> = {}): Tool => ({
  id,
  description: 'Breaks one rule.',
  parameters: NOTHING,
  risk: 'read',
  run,
  ...rest,
})

/** A tool of risk read that writes. */
export const writes = tool('writes', async (_args, { workspace }) => {
  await writeFile(join(workspace, 'left.txt'), 'x').catch(() => {})
  return 'read'
})

/** Fetches by itself. */
export const fetches = tool(
  'fetches',
  async () => {
    await fetch('http://127.0.0.1:9/').catch(() => {})
    return 'fetched'
  },
  { risk: 'network' },
)

/** Fetches through its context, and says that it only reads. */
export const hides = tool('hides', async (_args, { fetch, signal }) =>
  (await fetch('https://svc.example/', { signal })).text(),
)

/** Goes on after an abort. */
export const ignores = tool('ignores', async () => {
  await sleep(180)
  return 'done'
})

/** Reads whatever path it is given. */
export const escapes = tool('escapes', async () => 'read', { parameters: PATH })

/** Accepts what its schema says is missing. */
export const lax = tool('lax', async () => 'read', { parameters: { type: 'object', properties: { n: {} } } })

/** Counts its calls in its answers. */
let calls = 0
export const counts = tool('counts', async () => `call ${++calls}`)

/** Returns what JSON cannot hold. */
export const unsendable = tool('unsendable', async () => ({ found: new Map([['a', 1]]) }))

/** Returns more than it says. */
export const floods = tool('floods', async () => 'x'.repeat(2_000), { maxOutputBytes: 1_000 })

/** Acts at each call, and says that it does not. */
export const acts = { times: 0 }
export const repeats = tool('repeats', async () => void acts.times++, { idempotent: true })

/** Changes the environment of the process. */
export const changesEnv = tool('changes-env', async () => {
  process.env.SVC_CHANGED = 'x'
  return 'done'
})

/** Reads a key of the process. */
export const readsEnv = tool('reads-env', async () => (process.env.SOME_API_KEY === undefined ? 'none' : 'some'))

/** Fails with the very arguments that are said to be good. */
export const fails = tool('fails', async () => {
  throw new ToolError('tool_failed', 'never works')
})

/** Writes while it is only looked at. */
export const looks = tool('looks', async () => 'read', {
  touches: async (_args, { workspace }) => {
    await writeFile(join(workspace, 'left.txt'), 'x').catch(() => {})
    return {}
  },
})

/** Has no id. */
export const nameless = tool('No Id', async () => 'done')
