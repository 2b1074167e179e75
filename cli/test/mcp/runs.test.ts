/** MCP servers in runs and chats of the command line: their tools, resources, prompts and logins. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { browse, startOAuthServer } from '../../../plugins/test/fixtures/mcp/oauth.ts'
import { reference } from '../fixtures/mcp-servers.ts'
import { type Asked, dropIn, type Said, startModelServer } from '../fixtures/model-server.ts'
import { each, svc } from '../fixtures/svc.ts'
import { begin, makeWorld, type World } from '../fixtures/world.ts'

const test = suite('MCP servers in runs')

const textOf = ({ messages }: Asked): string => JSON.stringify(messages)

/** Calls the tool that the task names, and repeats what it got. */
function obey(asked: Asked): Said {
  const last = asked.messages.at(-1)
  if (last?.role === 'tool') return `It said: ${JSON.stringify(last.content).slice(0, 200)}`
  const wanted = /CALL (\S+) (\{.*?\})/.exec(asked.messages.map(({ content }) => String(content)).join('\n'))
  if (wanted === null) return 'Understood.'
  const name = asked.tools?.map((tool) => tool.function.name).find((tool) => tool.includes(wanted[1] ?? ''))
  return name === undefined ? 'There is no such tool.' : { calls: [{ name, args: wanted[2] ?? '' }] }
}

const model = await startModelServer(obey)
test.after(() => model.close())

const worldWith = (mcpServers: object, more: object = {}): World =>
  makeWorld({ 'README.md': '# Demo\n' }, { 'providers/mine.json': dropIn(model), 'mcp.json': { mcpServers }, ...more })

/** What the model was asked while a command ran. */
async function askedDuring(world: World, words: readonly string[], input?: string) {
  const from = model.asked.length
  const outcome = await svc(world, words, input === undefined ? {} : { input })
  return { ...outcome, asked: model.asked.slice(from) }
}

test('a tool of a server is called where the config says that it only reads, and asked for otherwise', async () => {
  const everything = { ...reference('everything'), tools: { risk: { echo: 'read' } } }
  const world = worldWith({ everything })
  const free = await askedDuring(world, ['run', '-q', 'CALL echo {"message":"hello there"}'])
  assert.is(free.code, 0, free.err)
  assert.match(free.out, /It said: .*Echo: hello there/)
  const denied = await askedDuring(world, ['run', '-q', 'CALL get-sum {"a":1,"b":2}'])
  assert.not.match(denied.out, /The sum of/)
  assert.match(JSON.stringify(denied.asked.map(textOf)), /approval|denied|nobody/i)
})

test('a resource that a task names comes with it as material, and taints the agents that read it', async () => {
  const everything = reference('everything')
  const world = worldWith(
    { everything },
    { 'svc.config.json': { policy: { rules: [{ tool: 'mcp.*', decision: 'allow' }] } } },
  )
  const uri = 'demo://resource/static/document/features.md'
  const told = await askedDuring(world, [
    'run',
    '-q',
    `Sum up (@everything:x) @everything:${uri}, please. Ask me@everything:other`,
  ])
  assert.is(told.code, 0, told.err)
  assert.match(
    told.asked.map(textOf).join('\n'),
    /File @everything:demo:\/\/resource\/static\/document\/features\.md:.*Everything Server/s,
  )
  // A rule allows it, and what somebody else wrote stands in the prompt.
  const tainted = await askedDuring(world, ['run', '-q', `CALL get-sum {"a":1,"b":2} @everything:${uri}`])
  assert.not.match(tainted.out, /The sum of/)
  assert.match(JSON.stringify(tainted.asked.map(textOf)), /untrusted content.*@everything/)
  const [missing, other] = await each(world, [
    ['run', '-q', 'Read @everything:demo://nowhere'],
    ['run', '-q', 'Write to someone@everything:x and @nobody:x'],
  ])
  assert.is(missing.code, 5)
  assert.match(missing.err, /the MCP server "everything" could not read demo:\/\/nowhere/)
  assert.is(other.code, 0, other.err)
})

test('a prompt of a server is the task, with its arguments by place or by name, in a run and in a chat', async () => {
  const world = worldWith({ everything: reference('everything'), off: { ...reference('memory'), disabled: true } })
  const taskOf = async (task: string): Promise<string> => {
    const { asked, code, err } = await askedDuring(world, ['run', '-q', task])
    assert.is(code, 0, err)
    return asked.map(textOf).join('\n')
  }
  assert.match(await taskOf('/everything:args-prompt "New York" NY'), /What's weather in New York, NY\?/)
  assert.match(await taskOf('/everything:args-prompt state=Texas Austin'), /What's weather in Austin, Texas\?/)
  assert.match(await taskOf('/everything:simple-prompt'), /This is a simple prompt without arguments/)
  assert.match(await taskOf('/etc/hosts:what does it say'), /\/etc\/hosts:what does it say/)
  const wrong = await each(world, [
    ['run', '-q', '/everything:args-prompt'],
    ['run', '-q', '/everything:arg-prompt x'],
    ['run', '-q', '/everythin:args-prompt x'],
    ['run', '-q', '/everything:simple-prompt much too much'],
    ['run', '-q', '/off:anything'],
  ])
  const messages = [
    /\/everything:args-prompt needs city: it takes city \[state\]/,
    /the MCP server "everything" has no prompt "arg-prompt": did you mean args-prompt\?/,
    /there is no MCP server "everythin": did you mean everything\?/,
    /\/everything:simple-prompt takes no arguments: "much too much" is too much/,
    /the MCP server "off" is switched off in .*mcp\.json/,
  ]
  for (const [at, { code, err }] of wrong.entries()) {
    assert.is(code, 2, err)
    assert.match(err, messages[at] ?? /never/)
  }
  const chat = await askedDuring(world, ['chat', '-q'], '/everything:args-prompt Rome\n/help\n')
  assert.is(chat.code, 0, chat.err)
  assert.match(chat.asked.map(textOf).join('\n'), /What's weather in Rome\?/)
  assert.match(chat.err, /\/<server>:<prompt> a prompt of an MCP server/)
})

test('a login is made in a browser, used by runs, shown nowhere, and forgotten', async () => {
  const locked = await startOAuthServer()
  const world = worldWith({ locked: { url: locked.url, tools: { risk: { '*': 'read' } } } })
  const [refused] = await each(world, ['mcp test locked'])
  assert.is(refused.code, 5)
  assert.match(refused.err, /the MCP server "locked" wants a login\. Fix: svc mcp login locked/)
  const login = begin(world, ['mcp', 'login', 'locked'])
  const [address] = await login.says(/http:\/\/127\.0\.0\.1:\d+\/authorize\?\S+/)
  assert.is((await browse(address)).status, 200)
  const { code, out, err } = await login.outcome
  assert.is(code, 0, err)
  assert.is(out, 'signed in to locked\n')
  const [tried, again, shown] = await each(world, ['mcp test locked --yes', 'mcp login locked', 'config show --json'])
  assert.match(tried.out, /^secret {2,}read/m)
  assert.match(again.out, /locked wants no login now/)
  const run = await askedDuring(world, ['run', '-q', '--json', 'CALL secret {}'])
  assert.match(run.out, /It said: .*the secret/)
  const file = readFileSync(join(world.home, '.config/svc/mcp-logins.json'), 'utf8')
  const tokens = [...file.matchAll(/(?:access|refresh)-[\w-]{36}/g)].map(([token]) => token)
  assert.ok(tokens.length >= 2)
  const [runs] = await each(world, ['runs list --json'])
  const said = [err, out, tried, again, shown, run, runs].map((one) => JSON.stringify(one)).join('\n')
  for (const token of tokens) assert.not.ok(said.includes(token))
  const [forgotten, after] = await each(world, ['mcp login locked --remove', 'mcp test locked'])
  assert.match(forgotten.out, /forgot the login of locked/)
  assert.is(after.code, 5)
  await locked.close()
})

test.run()
