import { CapacityError, type Runtime, SvcError, toSvcError } from '@svc/core'
import type { ServerContext } from './server-context.ts'

const CHECK_MS = 5_000
/** For so long what was seen of a store is answered again: however often somebody asks, it is written to once. */
const FRESH_MS = 1_000

const seen = new WeakMap<Runtime, { at: number; state: Promise<string> }>()

/** What new work needs, each `ok` or what is wrong with it. */
export async function readinessOf({ runtime, isDraining }: ServerContext): Promise<Record<string, string>> {
  return { store: await seenOf(runtime), draining: isDraining ? 'the server is about to end' : 'ok' }
}

/** @throws CapacityError `shutting_down` where the server takes no new work */
export function assertTakesNewWork({ isDraining }: Pick<ServerContext, 'isDraining'>): void {
  if (!isDraining) return
  throw new CapacityError('shutting_down', 'the server is about to end and takes no new work', {
    details: { retryAfterSeconds: 5 },
  })
}

function seenOf(runtime: Runtime): Promise<string> {
  const last = seen.get(runtime)
  const at = performance.now()
  if (last !== undefined && at - last.at < FRESH_MS) return last.state
  const state = storeOf(runtime)
  seen.set(runtime, { at, state })
  return state
}

/** Whether a store takes a write within five seconds. */
async function storeOf(runtime: Runtime): Promise<string> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new SvcError('store_unavailable', 'no answer from the store')), CHECK_MS)
  })
  try {
    await Promise.race([runtime.assertWritable?.() ?? runtime.runs.list({ limit: 1 }), late])
    return 'ok'
  } catch (thrown) {
    return toSvcError(thrown).code
  } finally {
    clearTimeout(timer)
  }
}
