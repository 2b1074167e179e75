/** Each tool of `broken/tools.ts` breaks one rule of the contract, and `checkTool` finds that rule and no other. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Tool } from '../../src/index.ts'
import { checkTool, type RuleResult, type ToolCheckOptions } from '../../src/testing/index.ts'
import * as broken from './broken/tools.ts'

const test = suite('checkTool')

const BROKEN: readonly (readonly [tool: Tool, rule: string, finding: RegExp, options?: ToolCheckOptions])[] = [
  [broken.writes, 'risk', /its risk is read, and it called fs\.writeFile/],
  [broken.hides, 'risk', /its risk is read, and it fetched https:\/\/svc\.example\//],
  [broken.fetches, 'gateways', /it called fetch$/],
  [broken.changesEnv, 'gateways', /it changed process\.env\.SVC_CHANGED/],
  [broken.readsEnv, 'gateways', /it read process\.env\.SOME_API_KEY/],
  [broken.ignores, 'cancels', /aborted while it ran, it went on for \d+ ms, more than 100/],
  [broken.escapes, 'workspace', /with path "\.\.\/outside\.txt" it went on/],
  [broken.lax, 'parameters', /they accept \{"n":"many"\}/, { badArgs: [{ n: 'many' }] }],
  [broken.counts, 'state', /its answer differed at \/ when it was called again/],
  [broken.unsendable, 'output', /JSON cannot hold what it returned at \/found/],
  [broken.floods, 'output', /it returned 2000 bytes, more than 1000/],
  [broken.repeats, 'idempotent', /acted 2 times/, { countActs: () => broken.acts.times }],
  [broken.fails, 'answers', /with the example arguments it threw ToolError/, { args: {} }],
  [broken.looks, 'looks', /touches called fs\.writeFile/],
  [broken.nameless, 'id', /"No Id" must be 1 to 64 lower case letters/],
]

for (const [tool, rule, finding, options] of BROKEN) {
  test(`${tool.id} breaks the rule "${rule}" and no other`, async () => {
    const rules: RuleResult[] = []
    // A loaded machine is no fault of the others.
    const abortWithinMs = rule === 'cancels' ? 100 : 60_000
    const findings = await checkTool(() => tool, { ...options, abortWithinMs, onRule: (result) => rules.push(result) })
    const failed = rules.filter(({ result }) => result === 'failed')
    assert.equal([...failed.map((each) => each.rule)], [rule], findings.join('\n'))
    assert.match(findings.join('\n'), finding)
  })
}

test('a call may go on after its abort for as long as the check was asked to allow', async () => {
  const slow: Tool = { ...broken.ignores, run: async () => void (await new Promise((done) => setTimeout(done, 250))) }
  assert.equal(await checkTool(() => slow, { abortWithinMs: 60_000, settleWithinMs: 60_000 }), [])
})

test('a rule that does not apply says why', async () => {
  const rules: RuleResult[] = []
  await checkTool(() => broken.counts, { onRule: (result) => rules.push(result) })
  const skipped = rules.filter(({ result }) => result === 'not applicable')
  assert.equal(
    skipped.map(({ rule, why }) => `${rule}: ${why}`),
    [
      'looks: it has none of them',
      'workspace: none of its arguments is called like a path',
      'idempotent: it does not say so',
    ],
  )
})

test.run()
