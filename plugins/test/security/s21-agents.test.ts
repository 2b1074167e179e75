/** S21: what an agent says of itself, of others and of approvals is text to the others, and never a right. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { attackWithout } from '../../../.tools/weakened.mjs'
import { type Spoken, speak } from './s21-attack.ts'

const test = suite('S21 agents')

const QUOTED = /<result of="step-1" by="agent-1">\n[\s\S]*\n<\/result>/

test('sender and approval are set by the runtime, and a result stays quoted material in the words of a user', async () => {
  const { handed, systems, senders, approved, ends } = await speak()
  assert.equal(senders, ['agent-1', 'agent-1'])
  assert.equal(approved, [false], 'the reading tool alone was called')
  assert.equal(ends, ['tool.completed', 'tool.denied'])
  assert.match(handed, QUOTED)
  assert.is(handed.match(/<\/result>/g)?.length, 1, 'the result does not end its quotation')
  assert.match(handed, '{{step-1}} {{step-2}}', 'marks in a result are not filled')
  assert.not.match(systems, 'orchestrator')
})

test('a slot that is called orchestrator has the rights of any other', async () => {
  const { senders, ends } = await speak('orchestrator')
  assert.equal(senders, ['orchestrator', 'orchestrator'])
  assert.equal(ends, ['tool.completed', 'tool.denied'])
})

test('without the guard of the quotation and the question before programs, both are overcome', async () => {
  const { handed, ends } = (await attackWithout('plugins/test/security/s21-attack.ts', [
    {
      file: 'core/src/components/adaptive-orchestrator/running/agent/handoff.ts',
      name: 'keepQuoted',
      weaken: '() => (text) => text',
    },
    { file: 'core/src/runtime/calls/policy/policy.ts', name: 'BY_RISK.execute', weaken: "() => 'allow'" },
  ])) as Spoken
  assert.is(handed.match(/<\/result>/g)?.length, 2)
  assert.equal(ends, ['tool.completed', 'tool.completed'])
})

test.run()
