import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ToolConfig } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toTool } from '../src/tools/configured/from-config.ts'
import { createContext, createWorkspace, failureOf, runTool } from './fixtures/tool-context.ts'
import { until } from './fixtures/until.ts'

const test = suite('tools from config')

const base = (names: string[]) => ({
  description: 'For a test.',
  parameters: { type: 'object', properties: Object.fromEntries(names.map((name) => [name, {}])) },
})
const command = (argv: string[], names: string[] = [], more: Partial<ToolConfig> = {}) =>
  toTool('x', { ...base(names), risk: 'execute', command: argv, ...more })
const show = (...argv: string[]) => [
  process.execPath,
  '-e',
  'console.log(JSON.stringify(process.argv.slice(1)))',
  '--',
  ...argv,
]
/** Without the `--`, so that what follows could be taken for options. */
const showBare = (...argv: string[]) => ['/bin/echo', ...argv]

async function serve() {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method, url, headers } = request
      const body = Buffer.concat(chunks).toString()
      response.setHeader('content-type', 'application/json')
      response.end(
        JSON.stringify({
          method,
          url,
          type: headers['content-type'],
          key: headers['x-key'],
          once: headers['idempotency-key'],
          body,
        }),
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

test('a config that is not exactly one kind of tool, or names what is not there, is config_invalid with its field', () => {
  const http = { method: 'GET' as const, url: 'https://example.org/{id}', hosts: ['example.org'] }
  const cases: [unknown, string][] = [
    [{ ...base([]), risk: 'read' }, 'exactly one of http, command and run, has none'],
    [{ ...base(['id']), risk: 'read', http, command: ['ls'] }, 'has http and command'],
    [
      { ...base(['idd']), risk: 'network', http },
      'tools.x.http.url: {id} is not among the parameters (idd); did you mean {idd}?',
    ],
    [{ ...base([]), risk: 'execute', command: ['awk', '{print}'] }, '{{print}} would be the text itself'],
    [{ ...base(['id']), risk: 'network', http: { ...http, hosts: [] } }, 'tools.x.http.hosts'],
    [{ ...base(['id']), risk: 'network', http: { ...http, hosts: ['example.com'] } }, 'does not name the host'],
    [{ ...base(['id']), risk: 'network', http: { ...http, url: 'file:///{id}' } }, 'begin with http'],
    [{ ...base(['p']), risk: 'execute', command: ['{p}'] }, 'program itself'],
    [{ ...base([]), risk: 'execute', command: [] }, 'begin with a program'],
    [{ ...base([]), risk: 'often', command: ['ls'] }, 'tools.x.risk'],
    [{ ...base([]), risk: 'read', command: ['ls'], timeout: 3 }, 'timeout'],
    [{ description: 'x', parameters: 3, risk: 'read', command: ['ls'] }, 'tools.x.parameters'],
  ]
  for (const [config, said] of cases) {
    try {
      toTool('x', config as ToolConfig)
      assert.unreachable(said)
    } catch (error) {
      assert.is((error as { code?: string }).code, 'config_invalid', String(error))
      assert.match((error as Error).message, said)
    }
  }
  assert.throws(() => toTool('../x', { ...base([]), risk: 'read', command: ['ls'] }), /id/)
})

test('arguments stay single elements whatever they hold, and no shell reads them', async () => {
  const { workspace } = await createWorkspace()
  const tool = command(show('a-{x}', '{x}', '{list}', '{none}', '{{x}}', '{n}', '{o}'), ['x', 'list', 'none', 'n', 'o'])
  const evil = '; rm -rf $(pwd) `id` | cat\n"\' *'
  const shown = await runTool(tool, { x: evil, list: ['1', 'two words'], n: -1, o: { a: 1 } }, createContext(workspace))
  assert.equal(JSON.parse(shown), [`a-${evil}`, evil, '1', 'two words', '{x}', '-1', '{"a":1}'])
  assert.is((await failureOf(tool.run({ x: 'a\0b' }, createContext(workspace)))).code, 'tool_bad_args')
  for (const odd of [undefined, null, 3, 'x', []]) {
    assert.is((await failureOf(tool.run(odd, createContext(workspace)))).code, 'tool_bad_args')
  }
})

test('a text that a program could take for an option is refused unless the config provides for it', async () => {
  const { workspace } = await createWorkspace()
  const context = createContext(workspace)
  const open = command(showBare('{x}'), ['x'])
  const refused = await failureOf(open.run({ x: '-c core.pager=evil' }, context))
  assert.is(refused.code, 'tool_bad_args')
  assert.is(
    (await failureOf(command(showBare('{x}y'), ['x']).run({ x: '--upload-pack=' }, context))).code,
    'tool_bad_args',
  )
  assert.is((await failureOf(open.run({ x: ['a', '-b'] }, context))).code, 'tool_bad_args')
  assert.is(await runTool(open, { x: -5 }, context), '-5')
  assert.is(await runTool(command(showBare('--', '{x}'), ['x']), { x: '-v' }, context), '-- -v')
  const limited = { type: 'object', properties: { x: { enum: ['-v'] } } }
  assert.is(await runTool(command(showBare('{x}'), ['x'], { parameters: limited }), { x: '-v' }, context), '-v')
})

test('a command sees the workspace, a scrubbed environment and an empty input', async () => {
  const { workspace } = await createWorkspace()
  process.env.SVC_TEST_SECRET = 'canary'
  const oldPath = process.env.PATH
  process.env.PATH = `node_modules/.bin:.:${oldPath}`
  const script =
    'console.log(JSON.stringify([process.cwd(), Object.keys(process.env).sort(), process.env.PATH, require("fs").readFileSync(0, "utf8")]))'
  const [folder, names, path, input] = JSON.parse(
    await runTool(command([process.execPath, '-e', script]), {}, createContext(workspace)),
  )
  process.env.PATH = oldPath
  delete process.env.SVC_TEST_SECRET
  assert.is(folder, workspace)
  assert.ok(
    (names as string[]).every((name) => ['PATH', 'HOME', 'LANG'].includes(name)),
    String(names),
  )
  assert.is(path, oldPath)
  assert.is(input, '')
})

test('a command that fails, is missing, or prints without end is reported as it is', async () => {
  const { workspace } = await createWorkspace()
  const pieces: string[] = []
  const context = createContext(workspace, { output: (chunk) => pieces.push(chunk) })
  const node = (script: string, more: Partial<ToolConfig> = {}) => command([process.execPath, '-e', script], [], more)
  const failed = await failureOf(node('console.error("bad thing"); process.exit(3)').run({}, context))
  assert.is(failed.code, 'tool_failed')
  assert.match(failed.message, 'ended with code 3: bad thing')
  assert.match((await failureOf(command(['no-such-program-x']).run({}, context))).message, 'cannot be started')
  assert.is(await runTool(node('console.log("out"); console.error("err")'), {}, context), 'out\n[stderr]\nerr')
  assert.ok(pieces.join('').includes('out'))
  const loud = await runTool(node('process.stdout.write("x".repeat(300000))', { maxOutputBytes: 1000 }), {}, context)
  assert.is(loud, `${'x'.repeat(1000)}\n… 299000 more bytes`)
})

test('an abort ends a command with all its children, also those that ignore being asked', async () => {
  const { workspace } = await createWorkspace()
  const script =
    'trap "" TERM; sh -c \'trap "" TERM; while :; do sleep 0.01; done\' & echo $!; wait; while :; do sleep 0.01; done'
  const controller = new AbortController()
  let child = 0
  const context = createContext(workspace, {
    signal: controller.signal,
    output: (chunk) => {
      child = Number(chunk)
      controller.abort(new Error('stop'))
    },
  })
  const message = await command(['/bin/sh', '-c', script])
    .run({}, context)
    .catch((error: Error) => error.message)
  assert.is(message, 'stop')
  await until(async () => !(await isRunning(child)))
})

test('a child that outlives its program is ended and does not hold the answer back', async () => {
  const { workspace } = await createWorkspace()
  const shown = await runTool(command(['/bin/sh', '-c', 'sleep 3000 & echo $!']), {}, createContext(workspace))
  await until(async () => !(await isRunning(Number(shown))))
})

async function isRunning(pid: number): Promise<boolean> {
  const { readFile } = await import('node:fs/promises')
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return status !== '' && !/\) [ZX] /.test(status)
}

test('an http tool encodes its arguments, keeps types in a JSON body and sends keys from the environment', async () => {
  const { port, close } = await serve()
  const tool = toTool(
    'x',
    {
      ...base(['id', 'q', 'limit', 'n', 'tags']),
      risk: 'network',
      http: {
        method: 'POST',
        url: `http://127.0.0.1:${port}/items/{id}?q={q}&limit={limit}#x`,
        headers: { 'x-key': 'Bearer {env:KEY}{n}' },
        body: { n: '{n}', text: 'n is {n}', tags: '{tags}', gone: '{limit}', fixed: [true, '{{n}}'] },
        hosts: ['127.0.0.1'],
      },
    },
    { env: { KEY: 'abc' } },
  )
  const context = createContext('/')
  const shown = JSON.parse(await runTool(tool, { id: 'a/b?c', q: 'x&y=1 é', n: 5, tags: ['t'] }, context))
  assert.equal(shown, {
    method: 'POST',
    url: '/items/a%2Fb%3Fc?q=x%26y%3D1%20%C3%A9',
    type: 'application/json',
    key: 'Bearer abc5',
    once: 'key-1',
    body: '{"n":5,"text":"n is 5","tags":["t"],"fixed":[true,"{n}"]}',
  })
  for (const id of ['..', '.', '', undefined]) {
    assert.is((await failureOf(tool.run({ id, q: 'x' }, context))).code, 'tool_bad_args', String(id))
  }
  assert.is((await failureOf(tool.run({ id: 'x', n: 'a\r\nx-evil: 1' }, context))).code, 'tool_bad_args')
  assert.match(JSON.parse(await runTool(tool, { id: 'x', n: '{env:HOME}' }, context)).key, '{ env:HOME}')
  close()
})

test('an http tool reaches its hosts and no other, whatever its arguments say', async () => {
  const { port, close } = await serve()
  const tool = toTool('x', {
    ...base(['host']),
    risk: 'network',
    http: { method: 'GET', url: 'http://{host}/', hosts: [`127.0.0.1:${port}`, 'example.org'] },
  })
  assert.is(
    JSON.parse(await runTool(tool, { host: `127.0.0.1` }, createContext('/')).catch(() => '{"url":"refused"}')).url,
    'refused',
  )
  for (const host of ['169.254.169.254', 'localhost', 'evil.example', '127.1', '[::1]']) {
    const error = await failureOf(tool.run({ host }, createContext('/')))
    assert.ok(['ssrf_blocked', 'tool_bad_args'].includes(error.code), `${host} ${error.code}`)
  }
  close()
})

test.run()
