import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Tool, ToolContext } from '../../contracts/tool/tool.ts'
import { CancelledError, ToolError } from '../../errors.ts'
import { createScope, type Effect, isWatched, outside, within } from './scope.ts'

export interface ToolCallOptions {
  /** Aborts it before it begins, or a moment later. */
  stop?: 'before' | 'during'
  /** Whether what it fetches never comes. */
  hangs?: boolean
  settleWithinMs?: number
  /** How long it may go on after an abort; it is looked at for a little longer. Default 100. */
  abortWithinMs?: number
}

/** What one call of a tool did. */
export interface Called {
  workspace: string
  returned?: unknown
  thrown?: unknown
  settled: boolean
  /** How long it went on after the abort. */
  abortedForMs?: number
  effects: readonly Effect[]
  /** Addresses that it asked `context.fetch` for. */
  fetched: readonly string[]
  envReads: readonly string[]
  envChanges: readonly string[]
}

const STOP_AFTER_MS = 25
/** What goes on for longer is said to go on without an end. */
const BEYOND_MS = 1_500

/** Does something in a folder of its own, which is removed afterwards. */
export async function inWorkspace<T>(
  prepare: ((workspace: string) => void | Promise<void>) | undefined,
  work: (workspace: string) => Promise<T>,
): Promise<T> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-check-')))
  const workspace = join(folder, 'workspace')
  mkdirSync(workspace)
  try {
    if (prepare === undefined) writeFileSync(join(workspace, 'notes.md'), 'The north has 41 shops.\n')
    else await prepare(workspace)
    return await work(workspace)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Calls a tool under watch. What it throws is in the answer. */
export async function callTool(
  tool: Tool,
  args: unknown,
  workspace: string,
  { stop, hangs = false, settleWithinMs = 5_000, abortWithinMs = 100 }: ToolCallOptions,
): Promise<Called> {
  const refused: Effect['kind'][] = ['network', 'process']
  if (tool.risk === 'read' || tool.risk === 'network') refused.push('write')
  const scope = createScope(1, 0, refused)
  const controller = new AbortController()
  const fetched: string[] = []
  const env = watchEnv()
  let abortedAt: number | undefined
  const abort = (): void => {
    abortedAt = performance.now()
    controller.abort(new CancelledError('cancelled', 'the run was cancelled'))
  }
  if (stop === 'before') abort()
  const context: ToolContext = {
    signal: controller.signal,
    workspace,
    idempotencyKey: 'svc-check',
    agentId: 'agent-1',
    isApproved: true,
    check: () => {},
    closedPaths: { globs: [], has: () => false },
    fetch: (input, init) => {
      fetched.push(String(input instanceof Request ? input.url : input))
      return outside(() => answerFetch(hangs, init?.signal ?? undefined))
    },
    log: () => {},
    wrote: () => {},
    keepForUndo: async () => {},
    output: () => {},
    ask: async (request) =>
      outside(async () => {
        if (hangs && !controller.signal.aborted)
          await new Promise((_, reject) =>
            controller.signal.addEventListener('abort', () => reject(controller.signal.reason)),
          )
        return { kind: 'input' as const, value: request.prompt, by: 'check' }
      }),
  }
  let settled = false
  const work = within(scope, async () => tool.run(args, context)).finally(() => {
    settled = true
  })
  const timer = stop === 'during' ? setTimeout(abort, STOP_AFTER_MS) : undefined
  const outcome = await withinTime(
    work,
    stop === undefined ? settleWithinMs : Math.min(settleWithinMs, abortWithinMs + BEYOND_MS),
  )
  clearTimeout(timer)
  const abortedForMs = abortedAt === undefined ? undefined : performance.now() - abortedAt
  return {
    workspace,
    ...outcome,
    settled,
    ...(abortedForMs !== undefined && { abortedForMs }),
    effects: scope.effects,
    fetched,
    ...env.end(),
  }
}

async function withinTime(work: Promise<unknown>, mostMs: number): Promise<{ returned?: unknown; thrown?: unknown }> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<{ thrown: unknown }>((resolve) => {
    timer = setTimeout(() => resolve({ thrown: new ToolError('tool_timeout', 'it did not settle') }), mostMs)
  })
  const done = work.then(
    (returned) => ({ returned }),
    (thrown: unknown) => ({ thrown }),
  )
  const outcome = await Promise.race([done, late])
  clearTimeout(timer)
  return outcome
}

/** Somebody answers, or nobody does until the signal ends the wait. */
const answerFetch = (hangs: boolean, signal: AbortSignal | undefined): Promise<Response> =>
  hangs
    ? new Promise((_, reject) => {
        if (signal?.aborted) reject(signal.reason)
        signal?.addEventListener('abort', () => reject(signal.reason))
      })
    : Promise.resolve(new Response('The north has 41 shops.', { headers: { 'content-type': 'text/plain' } }))

/** Which variables the code of a call reads and changes. */
function watchEnv(): { end(): Pick<Called, 'envReads' | 'envChanges'> } {
  const real = process.env
  const before = { ...real }
  const reads = new Set<string>()
  const scoped = new Proxy(real, {
    get(target, name) {
      if (typeof name === 'string' && isWatched() && isOwnRead()) reads.add(name)
      return Reflect.get(target, name) as string | undefined
    },
  })
  process.env = scoped
  return {
    end() {
      process.env = real
      const names = new Set([...Object.keys(before), ...Object.keys(real)])
      const envChanges = [...names].filter((name) => before[name] !== real[name])
      for (const name of envChanges) {
        if (before[name] === undefined) delete real[name]
        else real[name] = before[name]
      }
      return { envReads: [...reads], envChanges }
    },
  }
}

/** Node itself and installed packages read variables too; a tool does not mean to. */
function isOwnRead(): boolean {
  const [, , , reader = ''] = (new Error().stack ?? '').split('\n')
  return !/node:|node_modules\/(?!\.cache)/.test(reader)
}
