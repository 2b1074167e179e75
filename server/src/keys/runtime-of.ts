import { type Approval, type Asker, PolicyError, type Reach, type Runtime, SvcError } from '@svc/core'
import { assertMay, type Caller, type Identity, isAdmin } from './caller.ts'

/** Who asks, for a run. Who is no admin gets no more than the config allows. */
export const askerOf = ({ caller, owner }: Identity): Asker => ({
  owner,
  by: caller.name,
  ...(!isAdmin(caller) && {
    onLoosened: (field) => assertMay(caller, 'admin', `${field.path} ${field.message}, which`, [field]),
  }),
})

/**
 * The runtime as a caller sees it, which writes decisions down under the caller's name: of runs, conversations and questions those
 * of its own, unless it may see everybody's.
 *
 * @param from where the request comes from, as the audit log names it
 */
export function runtimeOf(everything: Runtime, { caller, reach }: Identity, from: string): Runtime {
  const own = everything.as?.({ who: caller.name, from }) ?? everything
  const runtime = isAdmin(caller) ? own : { ...own, approvals: withoutConfig(own.approvals, caller) }
  const { owner } = reach
  if (owner === undefined) return runtime
  const { runs, threads, approvals } = runtime
  /** What other folders have is not looked at: a key of the same name there is somebody else's. */
  const within = <Asked extends Reach>({ all: _, ...asked }: Asked = {} as Asked) => ({ ...asked, owner })
  const ofOwn =
    <Rest extends unknown[], Result>(
      find: (id: string, reach: Reach) => Promise<unknown>,
      act: (id: string, ...rest: Rest) => Promise<Result>,
    ) =>
    async (id: string, ...rest: Rest): Promise<Result> => {
      await find(id, reach)
      return act(id, ...rest)
    }
  const onOwnRun = <Rest extends unknown[], Result>(act: (id: string, ...rest: Rest) => Promise<Result>) =>
    ofOwn(runs.get.bind(runs), act)
  const onOwnThread = <Rest extends unknown[], Result>(act: (id: string, ...rest: Rest) => Promise<Result>) =>
    ofOwn(threads.get.bind(threads), act)
  const assertThread = async ({ threadId }: { threadId?: string }): Promise<void> => {
    if (threadId !== undefined) await threads.get(threadId, reach)
  }
  const approves = caller.scopes.includes('approve')
  return {
    ...runtime,
    runs: {
      async create(create, options) {
        await assertThread(create)
        return runs.create(create, options)
      },
      async start(create, options) {
        await assertThread(create)
        return runs.start(create, options)
      },
      get: (id, asked) => runs.get(id, within(asked)),
      list: (query) => runs.list(within(query)),
      summary: (filters) => runs.summary(within(filters)),
      costs: (query) => runs.costs(within(query)),
      wait: (id, ms, asked) => runs.wait(id, ms, within(asked)),
      result: (id, asked) => runs.result(id, within(asked)),
      events: (id, options) => runs.events(id, within(options)),
      cancel: onOwnRun((id, reason?: string, by?: string) => runs.cancel(id, reason, by)),
      steer: onOwnRun(runs.steer.bind(runs)),
      resume: onOwnRun(runs.resume.bind(runs)),
      fork: onOwnRun(runs.fork.bind(runs)),
      replay: onOwnRun((id) => runs.replay(id)),
      diff: (a, b, asked) => runs.diff(a, b, within(asked)),
      export: (id, asked) => runs.export(id, within(asked)),
      import: async () => assertMay(caller, 'admin', 'importing runs') as never,
      undo: async () => assertMay(caller, 'admin', 'undoing runs') as never,
      ...(runs.fileChanges && { fileChanges: onOwnRun(runs.fileChanges) }),
      ...(runs.fileContent && { fileContent: onOwnRun(runs.fileContent) }),
      delete: onOwnRun((id) => runs.delete(id)),
    },
    threads: {
      create: (input) => threads.create({ ...input, owner }),
      get: (id, asked) => threads.get(id, within(asked)),
      list: (query) => threads.list(within(query)),
      update: onOwnThread(threads.update.bind(threads)),
      copy: onOwnThread(threads.copy.bind(threads)),
      delete: onOwnThread((id) => threads.delete(id)),
      messages: (id, asked) => threads.messages(id, within(asked)),
      listMessages: (id, query) => threads.listMessages(id, within(query)),
    },
    approvals: {
      list: (query) => approvals.list(approves ? withoutAll(query) : within(query)),
      get: (id, asked) => approvals.get(id, approves ? withoutAll(asked) : within(asked)),
      async resolve(id, decision, by) {
        const { runId } = await approvals.get(id)
        if (await isThere(runs.get(runId, reach)))
          throw new PolicyError(
            'policy_denied',
            `approval ${id} is of a run of "${caller.name}" itself: another key answers it`,
          )
        return approvals.resolve(id, decision, by)
      },
    },
    onRunEvent: (handler, options) => runtime.onRunEvent(handler, within(options)),
    async describe() {
      const { tools, providers, ...rest } = await runtime.describe()
      // What failed last was asked for by others.
      return {
        ...rest,
        tools: tools.map(({ use: _, ...tool }) => tool),
        providers: providers.map(({ health: _, ...provider }) => provider),
      }
    },
  }
}

/** Questions as they are answered by who may not change the config: its path is not theirs to know. */
function withoutConfig({ list, get, resolve }: Runtime['approvals'], caller: Caller): Runtime['approvals'] {
  const shown = ({ rulesFile: _, ...approval }: Approval): Approval => approval
  return {
    async list(query) {
      const page = await list(query)
      return { ...page, data: page.data.map(shown) }
    },
    get: async (id, reach) => shown(await get(id, reach)),
    async resolve(id, decision, by) {
      const errors = [{ path: '/remember', message: 'is always, which writes a rule to the config of the server' }]
      if (decision.remember === 'always') assertMay(caller, 'admin', `remember ${errors[0]?.message},`, errors)
      return resolve(id, decision, by)
    },
  }
}

const withoutAll = <Asked extends Reach>({ all: _, ...asked }: Asked = {} as Asked) => asked

const isThere = (found: Promise<unknown>): Promise<boolean> =>
  found.then(
    () => true,
    (thrown) => {
      if (SvcError.isInstance(thrown) && thrown.code === 'run_not_found') return false
      throw thrown
    },
  )
