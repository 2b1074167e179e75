/** What a plan and a reflection make and look for in a run of one agent, counted: no other process can change it. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { AdaptiveOrchestrator, ReflectionEngine, TaskComplexityAnalyzer, TokenBudgetAllocator } from '../src/index.ts'
import { EventScript } from './fixtures/events.ts'
import { profile } from './fixtures/scripted-run.ts'

interface Counts {
  /** Regular expressions run, once for each match. */
  patterns: number
  /** Maps and sets. */
  collections: number
}

/** What one call makes, once everything that is made once has been made. */
async function count(work: () => unknown): Promise<Counts> {
  await work()
  const counts: Counts = { patterns: 0, collections: 0 }
  const { exec } = RegExp.prototype
  const { Map: PlainMap, Set: PlainSet } = globalThis
  const counting = <T extends MapConstructor | SetConstructor>(Plain: T): T =>
    new Proxy(Plain, {
      construct(target, args) {
        counts.collections++
        return Reflect.construct(target, args)
      },
    })
  RegExp.prototype.exec = function (text) {
    counts.patterns++
    return exec.call(this, text)
  }
  Object.assign(globalThis, { Map: counting(PlainMap), Set: counting(PlainSet) })
  try {
    await work()
  } finally {
    RegExp.prototype.exec = exec
    Object.assign(globalThis, { Map: PlainMap, Set: PlainSet })
  }
  return counts
}

const test = suite('what the components make for one agent')

async function assertAtMost(work: () => unknown, most: Counts): Promise<void> {
  const found = await count(work)
  for (const name of Object.keys(most) as (keyof Counts)[])
    assert.ok(found[name] <= most[name], `${name}: ${found[name]}, at most ${most[name]}`)
}

const task = { id: 'task', description: 'What is the value of key k1?' }
const complexity = new TaskComplexityAnalyzer().analyze(task)
const allocation = new TokenBudgetAllocator().allocate('SINGLE', complexity.score, 1)
const context = { agents: [profile('looker')], options: { agents: [profile('looker')] } }

test('a plan of one step', async () => {
  const orchestrator = new AdaptiveOrchestrator()
  await assertAtMost(() => orchestrator.planAsync(task, complexity, allocation, undefined, context), {
    patterns: 1,
    collections: 2,
  })
})

test('a reflection on a sentence with a number that a tool returned', async () => {
  const engine = new ReflectionEngine()
  const script = new EventScript()
  script.tool('look_up', { key: 'k1' }, { result: 'k1 = 42' })
  const output = 'The value of k1 is 42.'
  script.model(output)
  const evaluate = () => engine.evaluate({ task, output, events: script.events, attempt: 1 })
  assert.is((await evaluate()).checks.find(({ id }) => id === 'numbers')?.result, 'pass')
  await assertAtMost(evaluate, { patterns: 44, collections: 11 })
})

test('the counts see what they count', async () => {
  const made = () => [new Map(), new Set(), /a/.test('a'), 'a b'.replace(/ /, ''), 'a'.match(/a/)]
  assert.equal(await count(made), { patterns: 3, collections: 2 })
})

test.run()
