import type { SvcConfig } from '../contracts/config.ts'
import { mustFit, SLUG } from '../contracts/ids.ts'
import type { Plugin } from '../contracts/plugin/plugin.ts'
import type { RunCreate } from '../contracts/run/run.ts'
import { STAGES } from '../contracts/stages/stages.ts'
import { SvcError } from '../errors.ts'
import { AMEND } from '../runtime/hooks/plugin.ts'
import { findContradictions, findSchemaErrors } from './conformance/answer-rules.ts'
import { compare, differing } from './conformance/compare-calls.ts'
import type { Course } from './conformance/default-answers.ts'
import { type Exercised, type ExerciseOptions, exercise, OTHER_WORLD } from './conformance/exercise.ts'
import { describeThrown, findSlow, RuleBook, type RuleOptions } from './conformance/rules.ts'
import { isRefusal, watchWorld } from './conformance/scope.ts'
import type { TapCall } from './conformance/watched-plugin.ts'
import type { Script } from './scripted-provider.ts'

export interface PluginCheckOptions extends RuleOptions {
  /** What the model answers. Default: a short text, or a small value that fits the schema it is asked for. */
  script?: Script
  /** Of the runtime that the plugin is tried in. Default empty. */
  config?: SvcConfig
  /** Default 100: how long a tap may go on after its run was stopped. */
  abortWithinMs?: number
  /** Default 5 000: how long a tap may take. */
  settleWithinMs?: number
}

const RULES = {
  name: 'its name is a slug, and its taps are under its name',
  settles: 'it can be applied, and each tap settles',
  errors: 'its taps throw nothing but SvcError, with a documented code',
  schema: 'each answer fits the schema of its hook',
  consistent: 'an answer agrees with itself and with the answers before it',
  defers: 'a tap leaves an earlier answer alone, or amends it at stage AMEND',
  declines: 'consensus is unanswered below its risk, and where the run says so',
  cancels: 'a tap settles soon after its run was stopped',
  deterministic: 'the same input and seed give the same answer, whatever the clock and the random numbers',
  state: 'nothing of one run is in the answers of another',
  memory: 'what it remembers stays in its runtime, and is not used where a run says `memory: false`',
  gateways: 'it reaches models, tools and the world through the run alone',
}
type PluginRule = keyof typeof RULES

const SIMPLE: RunCreate = { task: 'How many shops are there?' }
const SEVERAL: RunCreate = {
  task: 'Read north.md and south.md, count the shops of each region, then compare the regions and write a summary.',
  topology: 'PARALLEL',
}
const RISKY: RunCreate = { task: 'Which of the two regions has to close its shops?', riskLevel: 'critical' }

const SCENARIOS: readonly { name: string; runs: readonly RunCreate[]; course?: Course; failsModel?: boolean }[] = [
  { name: 'a simple task', runs: [SIMPLE] },
  { name: 'a task of several parts', runs: [SEVERAL] },
  { name: 'a critical task', runs: [RISKY] },
  { name: 'a failed execution', runs: [SEVERAL], course: 'failed' },
  { name: 'an incomplete execution', runs: [SIMPLE], course: 'incomplete' },
  { name: 'a plan that failed', runs: [SEVERAL], course: 'plan failed' },
  { name: 'a second try', runs: [SEVERAL], course: 'retry' },
  { name: 'a model that fails', runs: [RISKY], failsModel: true },
]

/**
 * Tests a plugin against its contract: runs several tasks through the pipeline with it, the other stages answered by the
 * default components, and watches each of its taps. No model and no network are used.
 *
 * While it is watched, what it does to the world by itself (the network, programs, files) is refused and noted, except
 * inside `run.record` and `run.defer`. Call hooks are tried where a tap of the plugin makes a call.
 *
 * @param makePlugin makes one for each run, as two runtimes would each have one
 * @returns what is wrong, one sentence each, with its rule in front; empty when all is well
 */
export async function checkPlugin(
  makePlugin: () => Plugin | Promise<Plugin>,
  options: PluginCheckOptions = {},
): Promise<string[]> {
  const { abortWithinMs = 100, settleWithinMs = 5_000, script, config } = options
  const book = new RuleBook<PluginRule>(RULES)
  const stop = watchWorld()
  try {
    const run = (rest: Partial<ExerciseOptions> & Pick<ExerciseOptions, 'runs'>): Promise<Exercised> =>
      exercise({ makePlugin, script, config, settleWithinMs, ...rest })
    await check({ book, run, abortWithinMs })
  } finally {
    stop()
  }
  return book.end(options)
}

interface PluginUnderTest {
  book: RuleBook<PluginRule>
  run: (options: Partial<ExerciseOptions> & Pick<ExerciseOptions, 'runs'>) => Promise<Exercised>
  abortWithinMs: number
}

async function check(each: PluginUnderTest): Promise<void> {
  const { book, run } = each
  const [first, ...others] = SCENARIOS
  const seen: { name: string; found: Exercised }[] = []
  for (const { name, ...scenario } of [first ?? { name: '', runs: [SIMPLE] }, ...others]) {
    const found = await run(scenario)
    seen.push({ name, found })
    judgeScenario(book, name, found)
    if (!book.failed('settles')) continue
    skipOthers(book, found.failed === undefined ? 'a tap did not settle' : 'it could not be applied')
    return
  }
  const hooks = new Set(seen.flatMap(({ found }) => found.calls.map(({ hook }) => hook)))
  if (hooks.size === 0) return skipOthers(book, 'it taps no hook that was asked')
  const answers = seen.some(({ found }) => found.calls.some(isAnswer))
  if (!answers) for (const rule of ['schema', 'consistent'] as const) book.skip(rule, 'it answers nothing by itself')
  await checkDefers(each, hooks)
  await checkDeclines(each, hooks)
  await checkCancels(each, seen)
  await checkSameness(each, seen[1]?.found)
  await checkMemory(each, seen[0]?.found)
}

/** Nothing can be said of what was not asked. */
function skipOthers(book: RuleBook<PluginRule>, why: string): void {
  for (const rule of Object.keys(RULES) as PluginRule[]) if (rule !== 'name' && rule !== 'settles') book.skip(rule, why)
}

const isAnswer = ({ returned, returnedBefore, before }: TapCall): boolean =>
  returned !== undefined && (returnedBefore !== true || before === undefined)
const place = ({ hook }: TapCall, scenario: string): string => `${hook}, ${scenario}`

/** What one run with the plugin shows. */
function judgeScenario(book: RuleBook<PluginRule>, scenario: string, { name, calls, failed }: Exercised): void {
  if (!SLUG.test(name)) book.add('name', `"${name}" must ${mustFit(SLUG.source)}`)
  if (failed !== undefined) book.add('settles', `it could not be applied: ${describeThrown(failed)}`)
  for (const call of calls) {
    const at = place(call, scenario)
    const isOwn = call.tap === name || (call.tap.startsWith(name) && /^[-/:.]/.test(call.tap.slice(name.length)))
    if (!isOwn) book.add('name', `its tap of ${call.hook} is called "${call.tap}"`)
    if (!call.settled) book.add('settles', `${at}: it did not settle`)
    for (const { by } of call.effects) book.add('gateways', `${call.hook}: it called ${by}`)
    if (call.thrown !== undefined && !SvcError.isInstance(call.thrown) && !isRefusal(call.thrown))
      book.add('errors', `${at}: it threw ${describeThrown(call.thrown)}, no SvcError`)
    if (!isAnswer(call)) continue
    const wrong = findSchemaErrors(call.hook, call.returned)
    book.add('schema', ...wrong.map((each) => `${at}: ${each}`))
    if (wrong.length === 0)
      book.add(
        'consistent',
        ...findContradictions(call.hook, call.returned, call.input).map((each) => `${at}: ${each}`),
      )
  }
}

/** Others answer every stage first. */
async function checkDefers({ book, run }: PluginUnderTest, hooks: ReadonlySet<string>): Promise<void> {
  if (!STAGES.some((stage) => hooks.has(stage))) return book.skip('defers', 'it taps no stage')
  for (const runs of [[SEVERAL], [RISKY]]) {
    for (const call of (await run({ runs, isAnswered: true })).calls) {
      if (call.before === undefined || call.stage >= AMEND || !STAGES.some((stage) => stage === call.hook)) continue
      const inPlace = differing(call.before, call.after)
      if (inPlace !== undefined)
        book.add('defers', `${call.hook}: it changed an earlier answer in place, at ${inPlace}`)
      else if (call.returned !== undefined && differing(call.before, call.returned) !== undefined)
        book.add('defers', `${call.hook}: it put its own answer over an earlier one, at stage ${call.stage}`)
    }
  }
}

async function checkDeclines({ book, run }: PluginUnderTest, hooks: ReadonlySet<string>): Promise<void> {
  if (!hooks.has('consensus')) return book.skip('declines', 'it does not tap consensus')
  const asked = async (options: Partial<RunCreate>, why: string): Promise<void> => {
    for (const call of (await run({ runs: [{ ...SIMPLE, ...options }] })).calls)
      if (call.hook === 'consensus' && call.stage < AMEND && call.returned !== undefined)
        book.add('declines', `consensus: it answered ${why}`)
  }
  await asked({ riskLevel: 'low' }, 'for a task of low risk')
  await asked({ riskLevel: 'critical', consensus: false }, 'though the run says `consensus: false`')
}

async function checkCancels(
  { book, run, abortWithinMs }: PluginUnderTest,
  seen: readonly { found: Exercised }[],
): Promise<void> {
  const slow = new Set(
    seen.flatMap(({ found }) => found.calls.filter(({ takesTime }) => takesTime).map(({ hook }) => hook)),
  )
  for (const hook of slow) {
    for (const hangs of ['model', 'tool'] as const) {
      const found = await findSlow(abortWithinMs, async () => {
        const { calls } = await run({ runs: [{ ...RISKY, consensus: true }], stop: { hook, hangs, abortWithinMs } })
        const stopped = calls.filter((call) => call.hook === hook)
        return Math.max(
          ...stopped.map(({ settled, abortedForMs = 0 }) => (settled ? abortedForMs : Number.POSITIVE_INFINITY)),
        )
      })
      if (found !== undefined) book.add('cancels', `${hook}, stopped while a ${hangs} call hangs: ${found}`)
    }
  }
}

/** The same input twice; then after another run; then under another clock and other random numbers. */
async function checkSameness({ book, run }: PluginUnderTest, before: Exercised | undefined): Promise<void> {
  for (const runs of [[SEVERAL], [RISKY]]) {
    const alone = before !== undefined && runs[0] === SEVERAL ? before : await run({ runs })
    const remembers = alone.kept !== undefined
    /** Where it differs, and differs again. */
    const findDiffering = async (options: Parameters<typeof run>[0]): Promise<string[]> => {
      const found = compare(alone, await run(options), remembers)
      return found.length === 0 ? [] : compare(alone, await run(options), remembers).filter((at) => found.includes(at))
    }
    for (const where of await findDiffering({ runs }))
      book.add('state', `${where} when the same run was made again, in a runtime of its own`)
    for (const where of await findDiffering({ runs: [SIMPLE, ...runs] }))
      book.add('state', `${where} after another run in the same runtime`)
    if (book.failed('state')) {
      book.skip('deterministic', 'what it keeps between runs changes its answers')
      return
    }
    const elsewhere = await run({ runs, world: OTHER_WORLD })
    const reads = [...new Set(elsewhere.calls.flatMap((call) => [...call.reads]))]
    for (const where of await findDiffering({ runs, world: OTHER_WORLD }))
      book.add('deterministic', `${where} under another clock and other random numbers; it read ${reads.join(', ')}`)
  }
}

async function checkMemory({ book, run }: PluginUnderTest, first: Exercised | undefined): Promise<void> {
  if (first?.kept === undefined) return book.skip('memory', 'it provides no memory')
  const again = await run({ runs: [SEVERAL] })
  const foreign = await run({ runs: [SIMPLE] })
  if (foreign.calls.some(({ recalled }) => recalled.flat().length > 0))
    book.add('memory', 'it recalled in one runtime what another one had written')
  const grown = foreign.kept?.length !== first.kept.length
  if (grown)
    book.add(
      'memory',
      `${foreign.kept?.length} records are kept after one run, after its first there were ${first.kept.length}`,
    )
  const off = await run({ runs: [SEVERAL, { ...SEVERAL, memory: false }] })
  const [, last] = off.runs
  if (off.calls.some((call) => call.runId === last?.id && call.recalled.flat().length > 0))
    book.add('memory', 'it recalled something for a run with `memory: false`')
  if (off.kept?.length !== again.kept?.length) book.add('memory', 'it kept something of a run with `memory: false`')
}
