/** Each plugin of `broken/plugins.ts` breaks one rule of the contract, and `checkPlugin` finds that rule and no other. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Plugin } from '../../src/index.ts'
import { checkPlugin, type RuleResult } from '../../src/testing/index.ts'
import * as broken from './broken/plugins.ts'

const test = suite('checkPlugin')

/** A plugin, the rule that it breaks, and what is said of it. */
const BROKEN: readonly (readonly [make: () => Plugin, rule: string, finding: RegExp])[] = [
  [broken.outOfSchema, 'schema', /analyze, a simple task: \/score must be <= 1/],
  [broken.breaksRequest, 'schema', /modelRequest, a simple task: \/temperature must be number/],
  [broken.overEarlier, 'defers', /analyze: it put its own answer over an earlier one, at stage 0/],
  [broken.inPlace, 'defers', /analyze: it changed an earlier answer in place, at \/explanation\/\d/],
  [broken.ignoresAbort, 'cancels', /analyze, stopped while a model call hangs: it went on for \d+ ms, more than 100/],
  [
    broken.readsClock,
    'deterministic',
    /analyze: \/answer\/explanation\/0 differed under another clock .* read Date\.now/,
  ],
  [broken.drawsRandom, 'deterministic', /analyze: \/answer\/confidence differed .* it read Math\.random/],
  [broken.leaks, 'state', /analyze: \/answer\/openQuestions\/0 differed when the same run was made again/],
  [broken.remembersInInstance, 'state', /analyze: .* differed after another run in the same runtime/],
  [broken.fetches, 'gateways', /analyze: it called fetch$/],
  [broken.spawns, 'gateways', /analyze: it called child_process\.execFileSync/],
  [broken.spawnsEarly, 'gateways', /analyze: it called child_process$/],
  [broken.timesItself, 'deterministic', /analyze: \/answer\/estimatedTurns differed .* it read performance\.now/],
  [broken.writesFile, 'gateways', /inspect: it called fs\.writeFile/],
  [broken.neverSettles, 'settles', /analyze, a simple task: it did not settle/],
  [broken.throwsBare, 'errors', /analyze, a simple task: it threw Error \(no idea\), no SvcError/],
  [broken.cyclicPlan, 'consistent', /plan, .*its steps wait for each other: step-\d, step-\d/],
  [broken.otherTopology, 'consistent', /plan, .*topology is HYBRID, the allocation's is/],
  [broken.lostTokens, 'consistent', /allocate, .*shares and reserves add up to 64000, total is 64001/],
  [broken.alwaysVotes, 'declines', /consensus: it answered for a task of low risk/],
  [broken.otherName, 'name', /its tap of analyze is called "analyze"/],
  [broken.sharedMemory, 'memory', /records are kept after one run/],
]

for (const [make, rule, finding] of BROKEN) {
  const { name } = make()
  test(`${name} breaks the rule "${rule}" and no other`, async () => {
    const rules: RuleResult[] = []
    const settleWithinMs = name === 'never-settles' ? 300 : 60_000
    // A loaded machine is no fault of the others.
    const abortWithinMs = rule === 'cancels' ? 100 : 60_000
    const options = { settleWithinMs, abortWithinMs }
    const findings = await checkPlugin(make, { ...options, onRule: (result) => rules.push(result) })
    const failed = rules.filter(({ result }) => result === 'failed')
    assert.equal([...failed.map((each) => each.rule)], [rule], findings.join('\n'))
    assert.match(findings.join('\n'), finding)
  })
}

test.run()
