import { attributeFailure, toTrace } from '@svc/plugins'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { begin, step } from '../../core/test/fixtures/clean-runs.ts'
import { EventScript } from '../../core/test/fixtures/events.ts'

const test = suite('suspects of a failed run')

const question = 'How many boats lay in the harbour in May?'
const team = [
  { agent: 'history-expert', content: `The task: ${question} Look it up in the register and count carefully, please.` },
  { agent: 'data-expert', content: 'As the register is not at hand I assume sample data: ```boats = [1, 2, 3]```' },
  { agent: 'terminal', content: 'exitcode: 1 (execution failed)\nTraceback: NameError' },
  { agent: 'review-expert', content: 'The count that the data shows looks plausible to me, so I agree: **17 boats**.' },
  { agent: 'history-expert', content: 'TERMINATE' },
]

test('the agent that wrote most, and the early message that failed, are suspected first, and the reasons say so', () => {
  const { agents, steps } = attributeFailure({ question, history: team })
  assert.equal([agents[0]?.agent, steps[0]?.step], ['history-expert', 1])
  assert.ok(steps[0]?.reasons.some((reason) => reason.includes('failed')))
  assert.match(agents[0]?.reasons[0] ?? '', '% of the conversation')
  assert.not.ok(
    agents.some(({ agent }) => agent === 'terminal'),
    'the output of a machine is no suspect',
  )
})

// What takes the square of its length would not end.
test('hostile text of megabytes is read', () => {
  const history = ['a '.repeat(1_000_000), '**'.repeat(1_000_000), 'final answer '.repeat(200_000)].map((content) => ({
    agent: 'x',
    content,
  }))
  assert.ok(attributeFailure({ question, history }).agents.length <= 1)
})

test('a run is read as a conversation of its work, with the event of each message', () => {
  const script = new EventScript()
  begin(script, [step('step-1')])
  script.model('I assume that the file holds 17 boats.', { toolCalls: 1 })
  script.tool('read_file', { path: 'harbour.txt' }, { error: 'ENOENT: no such file' })
  script.model('There were 17 boats in the harbour.')
  script.add(
    'message.completed',
    { role: 'assistant', content: [{ type: 'text', text: 'a vote' }] },
    { stage: 'consensus', agentId: 'v' },
  )
  const { question: asked, history, refs } = toTrace(script.events)
  assert.is(asked, 'x')
  assert.equal(
    history.map(({ agent, kind }) => `${agent} ${kind}`),
    ['agent-1 said', 'agent-1 said', 'read_file observed', 'agent-1 said'],
  )
  assert.is(refs.length, 4)
  assert.match(history[2]?.content ?? '', 'ENOENT')
})

test.run()
