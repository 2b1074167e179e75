/** A process that dies before or after any of its commits: what the next one makes of the run. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createMemoryStore, type RunEvent, type Runtime, RunView, type Store, textMessage } from '../src/index.ts'
import { model, start, summaryOf, tool, toolbox, until } from './fixtures/runtimes.ts'
import { slowStore } from './fixtures/slow-store.ts'
import { execution, tiny } from './fixtures/tiny-plugins.ts'

const test = suite('crashes over a slow store')

const never = new Promise<never>(() => {})
const alive = setInterval(() => {}, 1_000)
test.after(() => clearInterval(alive))

/** Asks the model, writes with an approval, and asks the model again. */
function work() {
  const done = { calls: 0, writes: 0 }
  const act = tiny({
    execute: async (run) => {
      const agentId = 'agent-1'
      const ask = (key: string) =>
        run.model({ key, agentId, model: '', messages: [textMessage('user', key)], stream: true })
      const { text: first } = await ask('m1')
      const { error } = await run.tool({ key: 't', agentId, callId: 'c', tool: 'write', args: {} })
      const { text: second } = await ask('m2')
      return execution(`${first}, ${error?.code ?? 'written'}, ${second}`)
    },
  })
  const write = tool('write', async () => ++done.writes, { risk: 'write', idempotent: true })
  return { done, plugins: [toolbox(write), act, model(() => `answer ${++done.calls}`)] }
}

/** Lets the run come to its end or to its process's death, and approves what it asks. */
async function drive(runtime: Runtime, id: string, isOver: () => boolean): Promise<void> {
  await until(async () => {
    if (isOver()) return true
    const run = await runtime.runs.get(id)
    const open = run.status === 'waiting' ? run.waiting?.approvals?.[0]?.id : undefined
    if (open !== undefined) await runtime.approvals.resolve(open, { decision: 'approve' }).catch(() => {})
    return run.finishedAt !== undefined
  })
}

/** Runs until the commit of this number, dies there, and lets another process go on. */
async function crashAt(commit: number, when: 'before' | 'after') {
  let now = Date.now()
  const memory = createMemoryStore({ clock: () => now })
  let commits = 0
  let isDead = false
  const mortal: Store = slowStore(memory, {
    before: (path) => {
      if (isDead) return never
      if (path !== 'commit' || ++commits !== commit || when === 'after') return undefined
      isDead = true
      return never
    },
    after: (path) => {
      if (path === 'commit' && commits === commit) isDead = true
      return isDead ? never : undefined
    },
  })
  const { done, plugins } = work()
  const first = await start(plugins, { store: mortal, clock: () => now })
  const { id } = await first.runs.create({ task: 'x', approval: 'wait' })
  const second = await start(plugins, { store: slowStore(memory), clock: () => now, leaseMs: 60 })
  await drive(second, id, () => isDead)
  const hasDied = isDead
  if (hasDied) {
    now += 31_000
    await drive(second, id, () => false)
  }
  const events = await memory.events.list(id)
  const result = {
    hasDied,
    done,
    summary: await summaryOf(second, id),
    events,
    status: (await second.runs.get(id)).status,
  }
  await second.close()
  return result
}

const count = (events: readonly RunEvent[], type: RunEvent['type']): number =>
  events.filter((event) => event.type === type).length

for (const when of ['before', 'after'] as const) {
  test(`a death ${when} any commit loses no event, no answer and no call that was recorded`, async () => {
    let deaths = 0
    for (let commit = 1; ; commit++) {
      const { hasDied, done, summary, events, status } = await crashAt(commit, when)
      const where = `death ${when} commit ${commit}`
      assert.is(status, 'completed', where)
      assert.match(summary, /^answer \d, written, answer \d$/, where)
      assert.equal(
        events.map(({ seq }) => seq),
        events.map((_, index) => index + 1),
        where,
      )
      for (const type of ['analysis.completed', 'plan.created', 'tool.completed', 'run.completed'] as const) {
        assert.is(count(events, type), 1, `${where}: ${type}`)
      }
      assert.is(count(events, 'model.completed'), 2, where)
      assert.is(count(events, 'approval.resolved'), 1, `${where}: ${events.map(({ type }) => type).join()}`)
      const view = new RunView(events)
      assert.is(view.status, 'completed', where)
      assert.ok(done.calls <= 3 && done.writes <= 2, `${where}: ${JSON.stringify(done)}`)
      if (!hasDied) break
      deaths++
    }
    assert.ok(deaths > 4, `${deaths} deaths`)
  })
}

test.run()
