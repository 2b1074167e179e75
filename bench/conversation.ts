/**
 * What the tenth turn of a conversation sends, and how much of it a provider has cached from the ninth: the share of the request,
 * tools first, that begins as the one before it did. A model server on this machine answers each turn with 120 words.
 *
 * Usage: node --conditions=@svc/source --import tsx bench/conversation.ts
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@svc/sdk'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { toTable } from './table.mjs'

const TURNS = 10
const ANSWER_WORDS = 120
const SUBJECTS = 'harbour,orchard,railway,library,museum,market,bridge,garden,school,mill'.split(',')

interface Body {
  tools?: object[]
  messages: { role: string; content: unknown }[]
}

const sent: Body[] = []
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  sent.push(JSON.parse(Buffer.concat(chunks).toString()) as Body)
  const words = Array.from({ length: ANSWER_WORDS }, (_, index) => SUBJECTS[(index * sent.length) % 10])
  const piece = (delta: object, finish_reason: string | null): string =>
    `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(
    `${piece({ content: `Of turn ${sent.length}: ${words.join(' ')}.` }, null)}${piece({}, 'stop')}data: [DONE]\n\n`,
  )
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const cwd = mkdtempSync(join(tmpdir(), 'svc-conversation-'))
const client = await createClient({
  cwd,
  env: { HOME: cwd, OPENAI_API_KEY: 'mock-key-0123456789' },
  config: false,
  provider: 'openai',
  model: 'gpt-5-mini',
  baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
})

/** Of a request: all that stands before the answer, in the order in which providers read it. */
const partsOf = ({ tools, messages }: Body): string =>
  [JSON.stringify(tools ?? []), ...messages.map(({ role, content }) => `${role}: ${JSON.stringify(content)}`)].join(
    '\n',
  )

function compare(name: string, last: string, before: string): string[] {
  const [now, earlier] = [encode(last), encode(before)]
  const parted = now.findIndex((token, index) => token !== earlier[index])
  const shared = parted < 0 ? now.length : parted
  return [
    name,
    String(now.length),
    String(earlier.length),
    String(shared),
    `${((100 * shared) / now.length).toFixed(1)} %`,
  ]
}

try {
  const { id: threadId } = await client.threads.create({ title: 'A town' })
  const perTurn: Body[] = []
  for (let turn = 0; turn < TURNS; turn++) {
    const task = `In which year was the ${SUBJECTS[turn]} of the town built, and who paid for it? Name what you are not sure of.`
    await client.run(task, { threadId, topology: 'SINGLE' })
    const [first] = sent.splice(0)
    if (first !== undefined) perTurn.push(first)
  }
  const [before, last] = perTurn.slice(-2)
  if (before === undefined || last === undefined) throw new Error('no two turns reached the model')
  const withoutTools = (body: Body): Body => ({ ...body, tools: [] })
  const rows = [
    compare('with tools', partsOf(last), partsOf(before)),
    compare('messages alone', partsOf(withoutTools(last)), partsOf(withoutTools(before))),
  ]
  console.log(
    toTable(['tokens', `turn ${TURNS}`, `turn ${TURNS - 1}`, 'begin alike', 'share'], rows, [1, 2, 3, 4]).join('\n'),
  )
  console.log(`messages: ${last.messages.map(({ role }) => role).join(' ')}`)
} finally {
  await client.disconnect()
  server.close()
  rmSync(cwd, { recursive: true, force: true })
}
