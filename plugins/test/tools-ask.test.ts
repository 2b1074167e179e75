import type { InputRequest, Resolution } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { askUser } from '../src/tools/ask-user.ts'
import { createContext, failureOf, runTool } from './fixtures/tool-context.ts'

const test = suite('ask_user')
const by = 'user'

/** A person who says this, and what they were asked. */
function person(resolution: Resolution) {
  const asked: InputRequest[] = []
  const context = createContext('/', {
    ask: async (request) => {
      asked.push(request)
      return resolution
    },
  })
  return { asked, context }
}

test('asks the question, with its choices, and answers what was said', async () => {
  const { asked, context } = person({ kind: 'input', value: 'green', by })
  assert.is(await runTool(askUser, { question: 'Which colour?' }, context), 'green')
  assert.is(await runTool(askUser, { question: 'Which?', choices: ['red', 'green'] }, context), 'green')
  assert.equal(asked, [
    { kind: 'input', prompt: 'Which colour?' },
    { kind: 'input', prompt: 'Which?', schema: { enum: ['red', 'green', null] } },
  ])
})

test('where nobody answers the model hears how to go on', async () => {
  for (const resolution of [
    { kind: 'expired' },
    { kind: 'input', value: null, by },
    { kind: 'input', value: '', by },
  ] as Resolution[]) {
    const { code, message } = await failureOf(runTool(askUser, { question: 'Which?' }, person(resolution).context))
    assert.is(code, 'tool_failed')
    assert.match(message, 'nobody answered')
  }
})

test('a question without words, and one choice, are refused', async () => {
  const { context } = person({ kind: 'expired' })
  for (const args of [{ question: '' }, { question: 'Which?', choices: ['a'] }, { question: 'x', choices: ['a', 'a'] }])
    assert.is((await failureOf(runTool(askUser, args, context))).code, 'tool_bad_args')
})

test.run()
