import type { AgentProfile, KeyedRequest, ListQuery, Page, Reach, Run, Runtime, ThreadMessage } from '@svc/core/client'
import { describeAbort, isTerminal, NotFoundError, ValidationError } from '@svc/core/client'
import { createExperiments, type Experiments } from './calls/experiments.ts'
import { exportRun } from './calls/export-run.ts'
import { type ArtifactOptions, readArtifact } from './calls/read-artifact.ts'
import { remoteAgents } from './calls/remote-agents.ts'
import { waitForEnd } from './calls/wait-for-end.ts'
import { waitForRun } from './calls/wait-for-run.ts'
import { describeServer, health } from './describe.ts'
import { Listeners } from './events/listeners.ts'
import { followRun } from './events/run-events.ts'
import { watchRuns } from './events/watch-runs.ts'
import type { HttpClient } from './http-client.ts'
import type { RemoteOptions } from './remote-options.ts'
import { createHttp } from './session/create-http.ts'

/** Runs have so long to end when the client disconnects, as those of an embedded runtime. */
const DRAIN_MS = 2_000
const MOST_OWN = 10_000

/** A runtime behind a server: the same calls, over HTTP, and what only a server answers. */
export interface RemoteRuntime extends Runtime {
  /** A file that an ended run wrote. @throws as `readArtifact` */
  readArtifact(id: string, artifactId: string, options?: ArtifactOptions): Promise<Blob>
  readonly experiments: Experiments
}

/** Makes a runtime of a server. Nothing is asked before the first call. */
export function createRemoteRuntime(options: RemoteOptions): RemoteRuntime {
  const http = createHttp(options)
  /** Runs that this client began, and how to forget the signal that cancels each. */
  const own = new Map<string, () => void>()
  const remember = (id: string, forgetSignal = own.get(id) ?? (() => {})): void => {
    own.set(id, forgetSignal)
    // Runs that nobody waits for are not remembered for ever.
    if (own.size > MOST_OWN) own.delete(own.keys().next().value as string)
  }
  const listeners = new Listeners((id, after, signal) =>
    followRun(http, id, { after, signal, isOwn: after === 0 && own.has(id) }),
  )
  const { model, tokenBudget } = options
  const defaults = {
    approval: 'deny' as const,
    ...(model === undefined ? {} : { model }),
    ...(tokenBudget === undefined ? {} : { tokenBudget }),
  }

  const forget = async (run: Run): Promise<Run> => {
    if (!isTerminal(run.status)) return run
    await listeners.ended(run.id)
    own.get(run.id)?.()
    own.delete(run.id)
    return run
  }
  const begin = async (
    path: string,
    body: object,
    { idempotencyKey, onReplayed }: KeyedRequest = {},
    query = {},
  ): Promise<Run> => {
    const answer = await http.answer<Run>('POST', path, {
      body,
      query,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    })
    if (idempotencyKey !== undefined && answer.headers.get('idempotency-replayed') === 'true') onReplayed?.()
    const run = answer.body
    remember(run.id)
    listeners.begun(run, true)
    return run
  }

  const runs: Runtime['runs'] = {
    async create(create, { signal, deltas = true, ...keyed } = {}) {
      // Handlers of events read the pieces too.
      const query = deltas || listeners.areThere ? {} : { deltas: false }
      const run = await begin('/v1/runs', { ...defaults, ...create }, keyed, query)
      if (signal !== undefined) cancelBy(signal, run.id)
      return run
    },
    async start(create, options) {
      const run = await runs.create(create, options)
      const done = waitForEnd(runs, run.id)
      done.catch(() => {}) // a failure reaches the callers that await it
      return { run, done }
    },
    get: (id, reach) => http.json('GET', runPath(id), { query: { include: 'result', ...reach } }),
    list: (query) => http.json('GET', '/v1/runs', { query: { ...query } }),
    summary: (filters) => http.json('GET', '/v1/runs-summary', { query: { ...filters } }),
    costs: (query) => http.json('GET', '/v1/costs', { query: { ...query } }),
    wait: async (id, ms, reach) => forget(await waitForRun(http, listeners, id, ms, reach)),
    result: (id, reach) => http.json('GET', `${runPath(id)}/result`, { query: { ...reach } }),
    events: (id, asked = {}) => followRun(http, id, { ...asked, isOwn: own.has(id) && !asked.after }),
    cancel: (id, reason) => http.json('POST', `${runPath(id)}/cancel`, { body: { reason } }),
    steer: (id, input) => http.json('POST', `${runPath(id)}/messages`, { body: input }),
    async resume(id, input = {}) {
      const run = await http.json<Run>('POST', `${runPath(id)}/resume`, { body: input })
      remember(run.id)
      listeners.begun(run, run.id !== id)
      return run
    },
    fork: (id, input, keyed) => begin(`${runPath(id)}/fork`, input, keyed),
    replay: (id) => http.json('POST', `${runPath(id)}/replay`),
    diff: (a, b, reach) => http.json('GET', `${runPath(a)}/diff/${encodeURIComponent(b)}`, { query: { ...reach } }),
    undo: (id, input = {}) => http.json('POST', `${runPath(id)}/undo`, { body: input }),
    export: (id, reach) => exportRun(http, `${runPath(id)}/log`, { ...reach }),
    async import() {
      throw new NotFoundError(
        'route_not_found',
        'a server takes in no exported runs: import it on the machine of the server',
      )
    },
    delete: (id) => http.json('DELETE', runPath(id)),
  }

  function cancelBy(signal: AbortSignal, id: string): void {
    // A run that has ended is answered as it is; where the server is away, who waits for the run hears of that.
    const stop = (): void => void runs.cancel(id, describeAbort(signal)).catch(() => {})
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    remember(id, () => signal.removeEventListener('abort', stop))
  }

  return {
    runs,
    approvals: {
      list: (query) => http.json('GET', '/v1/approvals', { query: { ...query } }),
      get: (id, reach) => http.json('GET', at('/v1/approvals', id), { query: { ...reach } }),
      resolve: (id, decision) => http.json('POST', at('/v1/approvals', id), { body: decision }),
    },
    agents: remoteAgents(http, at, () => allOf<AgentProfile>(http, '/v1/agents')),
    memory: {
      async write(memory, source) {
        if (source !== undefined) throw notSent('memory.write', 'source', 'what comes over HTTP a person says')
        return http.json('POST', '/v1/memory', { body: memory })
      },
      query: (query) => http.json('POST', '/v1/memory/query', { body: query }),
      async list({ scope, ...query } = {}) {
        if (scope !== undefined) throw notSent('memory.list', 'scope', 'memory.query takes one')
        return http.json('GET', '/v1/memory', { query })
      },
      get: (id) => http.json('GET', at('/v1/memory', id)),
      delete: (id) => http.json('DELETE', at('/v1/memory', id)),
      update: (id, change) => http.json('PATCH', at('/v1/memory', id), { body: change }),
    },
    threads: {
      create: (input = {}) => http.json('POST', '/v1/threads', { body: input }),
      get: (id, reach) => http.json('GET', at('/v1/threads', id), { query: { ...reach } }),
      list: (query) => http.json('GET', '/v1/threads', { query: { ...query } }),
      update: (id, input) => http.json('PATCH', at('/v1/threads', id), { body: input }),
      copy: (id, input = {}) => http.json('POST', `${at('/v1/threads', id)}/copy`, { body: input }),
      delete: (id) => http.json('DELETE', at('/v1/threads', id)),
      messages: (id, reach) => allOf<ThreadMessage>(http, `${at('/v1/threads', id)}/messages`, reach),
      listMessages: (id, query) => http.json('GET', `${at('/v1/threads', id)}/messages`, { query: { ...query } }),
    },
    async analyze({ id, description, ...rest }) {
      const complexity = await http.json<Awaited<ReturnType<Runtime['analyze']>>>('POST', '/v1/analyze', {
        body: { task: description, ...rest },
      })
      return { ...complexity, taskId: id }
    },
    experiments: createExperiments(http),
    readArtifact: (id, artifactId, asked) =>
      readArtifact(http, `${runPath(id)}/artifacts/${encodeURIComponent(artifactId)}`, asked),
    files: (query) => http.json('GET', '/v1/files', { query: { ...query } }),
    inspect: () => http.json('GET', '/v1/inspect'),
    describe: () => describeServer(http),
    health: () => health(http),
    onEvent: (handler) => listeners.add(handler),
    onRunEvent: (handler, { onOpen, ...reach } = {}) => watchRuns(http, handler, reach, onOpen),
    async close() {
      await http.close(DRAIN_MS)
      for (const unlisten of own.values()) unlisten()
      own.clear()
    },
  }
}

const at = (path: string, id: string): string => `${path}/${encodeURIComponent(id)}`
const runPath = (id: string): string => at('/v1/runs', id)

const notSent = (call: string, field: string, instead: string): ValidationError =>
  new ValidationError('validation_failed', `${call}: a server takes no ${field}: ${instead}`, {
    errors: [{ path: `/${field}`, message: 'is not taken by a server' }],
  })

/** Every item of a list that is answered page by page. */
async function allOf<T>(http: HttpClient, path: string, reach: Reach = {}): Promise<T[]> {
  const items: T[] = []
  let after: string | undefined
  do {
    const page: Page<T> = await http.json('GET', path, {
      query: { limit: 100, after, ...reach } satisfies Loose<ListQuery & Reach>,
    })
    items.push(...page.data)
    after = page.nextCursor
  } while (after !== undefined)
  return items
}

type Loose<T> = { [Name in keyof T]?: T[Name] | undefined }
