/** Each plugin of `broken/` breaks one rule of the contract, and `checkPlugin` finds that rule and no other. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Plugin } from '../../src/index.ts'
import { checkPlugin, type RuleResult } from '../../src/testing/index.ts'
import alwaysVotes from './broken/always-votes.ts'
import breaksRequest from './broken/breaks-request.ts'
import cyclicPlan from './broken/cyclic-plan.ts'
import drawsRandom from './broken/draws-random.ts'
import fetches from './broken/fetches.ts'
import ignoresAbort from './broken/ignores-abort.ts'
import inPlace from './broken/in-place.ts'
import leaks from './broken/leaks.ts'
import lostTokens from './broken/lost-tokens.ts'
import neverSettles from './broken/never-settles.ts'
import otherName from './broken/other-name.ts'
import otherTopology from './broken/other-topology.ts'
import outOfSchema from './broken/out-of-schema.ts'
import overEarlier from './broken/over-earlier.ts'
import readsClock from './broken/reads-clock.ts'
import remembersInInstance from './broken/remembers-in-instance.ts'
import sharedMemory from './broken/shared-memory.ts'
import spawns from './broken/spawns.ts'
import spawnsEarly from './broken/spawns-early.ts'
import throwsBare from './broken/throws-bare.ts'
import timesItself from './broken/times-itself.ts'
import writesFile from './broken/writes-file.ts'

const test = suite('checkPlugin')

/** A plugin, the rule that it breaks, and what is said of it. */
const BROKEN: readonly (readonly [make: () => Plugin, rule: string, finding: RegExp])[] = [
  [outOfSchema, 'schema', /analyze, a simple task: \/score must be <= 1/],
  [breaksRequest, 'schema', /modelRequest, a simple task: \/temperature must be number/],
  [overEarlier, 'defers', /analyze: it put its own answer over an earlier one, at stage 0/],
  [inPlace, 'defers', /analyze: it changed an earlier answer in place, at \/explanation\/\d/],
  [ignoresAbort, 'cancels', /analyze, stopped while a model call hangs: it went on for \d+ ms, more than 100/],
  [readsClock, 'deterministic', /analyze: \/answer\/explanation\/0 differed under another clock .* read Date\.now/],
  [drawsRandom, 'deterministic', /analyze: \/answer\/confidence differed .* it read Math\.random/],
  [leaks, 'state', /analyze: \/answer\/openQuestions\/0 differed when the same run was made again/],
  [remembersInInstance, 'state', /analyze: .* differed after another run in the same runtime/],
  [fetches, 'gateways', /analyze: it called fetch$/],
  [spawns, 'gateways', /analyze: it called child_process\.execFileSync/],
  [spawnsEarly, 'gateways', /analyze: it called child_process$/],
  [timesItself, 'deterministic', /analyze: \/answer\/estimatedTurns differed .* it read performance\.now/],
  [writesFile, 'gateways', /inspect: it called fs\.writeFile/],
  [neverSettles, 'settles', /analyze, a simple task: it did not settle/],
  [throwsBare, 'errors', /analyze, a simple task: it threw Error \(no idea\), no SvcError/],
  [cyclicPlan, 'consistent', /plan, .*its steps wait for each other: step-1, step-2/],
  [otherTopology, 'consistent', /plan, .*topology is HYBRID, the allocation's is/],
  [lostTokens, 'consistent', /allocate, .*shares and reserves add up to 64000, total is 64001/],
  [alwaysVotes, 'declines', /consensus: it answered for a task of low risk/],
  [otherName, 'name', /its tap of analyze is called "analyze"/],
  [sharedMemory, 'memory', /records are kept after one run/],
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
