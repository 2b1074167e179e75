/** MCP servers of configs and of `.mcp.json`: which are read, which are left out, and what trust says of them. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { listRuns, loadConfig, recordTrust, type TrustQuestion } from '../src/config/index.ts'
import { addFiles, failure, makeFolder, makeMachine, plain } from './fixtures/config-folders.ts'
import { PASTED } from './fixtures/mcp-blocks.ts'

const test = suite('MCP servers of a config')

const local = (...args: string[]) => ({ command: 'node', args })

test('blocks as other programs document them are taken as they are, unknown fields and all', async () => {
  for (const [name, block] of Object.entries(PASTED)) {
    const { options } = makeMachine({ '.mcp.json': block, 'svc.config.json': {} })
    const { config, problems } = await loadConfig({ ...options, trust: true })
    assert.equal(problems, [], name)
    assert.equal(plain(config.mcpServers), block.mcpServers, name)
    const pasted = makeMachine({ 'svc.config.json': { mcpServers: block.mcpServers } })
    const loaded = await loadConfig({ ...pasted.options, trust: true })
    assert.equal(plain(loaded.config.mcpServers), block.mcpServers, name)
  }
})

test("of a name that several layers have the strongest counts, whole: the person's file, their config, the project's file, its config", async () => {
  const server = (name: string) => ({ command: name, env: { [name]: '1' } })
  const { options, work, user } = makeMachine(
    {
      'svc.config.json': { mcpServers: { d: server('4') } },
      '.mcp.json': { mcpServers: { d: server('3'), c: server('3') } },
    },
    {
      'svc.config.json': { mcpServers: { d: server('2'), c: server('2'), b: server('2') } },
      'mcp.json': { mcpServers: { d: server('1'), c: server('1'), b: server('1'), a: server('1') } },
    },
  )
  const { config, origin } = await loadConfig({ ...options, trust: true })
  assert.equal(plain(config.mcpServers), { a: server('1'), b: server('2'), c: server('3'), d: server('4') })
  assert.is(origin['/mcpServers/a/command'], join(user, 'mcp.json'))
  assert.is(origin['/mcpServers/c/command'], join(work, '.mcp.json'))
})

test('in an untrusted folder no server is used, and the notice names each', async () => {
  const { options } = makeMachine({
    '.mcp.json': { mcpServers: { files: local('./files.js'), web: { url: 'https://mcp.example/mcp' } } },
    'svc.config.json': { mcpServers: { own: local('x') } },
  })
  const { config, skipped, warnings } = await loadConfig(options)
  assert.is(config.mcpServers, undefined)
  assert.equal(
    skipped.flatMap(({ defines }) => defines),
    ['own', 'files', 'web'].map((id) => ({ kind: 'server', id })),
  )
  assert.is(
    warnings[0]?.message,
    '1 setting of svc.config.json (mcpServers.own) and 2 settings of .mcp.json (mcpServers.files, mcpServers.web) were left out because this folder is not trusted; run "svc trust" to allow them',
  )
})

test('the question of trust shows commands with all words, hosts, and the variables that are taken and set', async () => {
  const { options } = makeMachine({
    '.mcp.json': {
      mcpServers: {
        files: {
          ...local('./files.js', 'two words'),
          cwd: 'tools',
          env: { TOKEN: '$' + '{GITHUB_TOKEN}', LEVEL: 'x' },
        },
        web: {
          url: 'https://user:secret@mcp.example/mcp?key=secret',
          headers: { Authorization: 'Bearer {env:WEB_KEY}' },
        },
        off: { command: 'off', disabled: true, tools: { risk: { '*': 'read' } } },
        'two words': { command: 'x' },
      },
    },
  })
  let asked: TrustQuestion | undefined
  await loadConfig({
    ...options,
    ask: async (question) => {
      asked = question
      return false
    },
  })
  assert.equal(asked?.runs.slice(0, 3), [
    'MCP server files: runs node ./files.js "two words", in tools, sets TOKEN, LEVEL, with GITHUB_TOKEN',
    'MCP server web: host mcp.example, with WEB_KEY',
    'MCP server off: runs off, takes * as read, switched off',
  ])
  assert.match(
    asked?.runs[3] ?? '',
    /\.mcp\.json: \/mcpServers\/two words is not a valid name: it must be 1 to 64 letters/,
  )
})

test('a change of the file, or of a program that a server runs, asks again; data beside it does not', async () => {
  const files = {
    '.mcp.json': {
      mcpServers: { files: { args: ['serve', './data.json', 'server.js'], command: 'node', cwd: 'tools' } },
    },
    'tools/server.js': '1',
    'tools/data.json': '{}',
  }
  const { options, work } = makeMachine(files)
  const state = async () => Object.keys((await loadConfig(options)).config.mcpServers ?? {})
  await recordTrust(work, options)
  assert.equal(await state(), ['files'])
  addFiles(work, { 'tools/data.json': '{"more":1}' })
  assert.equal(await state(), ['files'])
  addFiles(work, { 'tools/server.js': '2' })
  assert.equal(await state(), [])
  addFiles(work, { 'tools/server.js': '1' })
  assert.equal(await state(), ['files'])
  addFiles(work, { '.mcp.json': { mcpServers: { files: local('other.js') } } })
  const { warnings, config } = await loadConfig(options)
  assert.is(config.mcpServers, undefined)
  assert.match(warnings[0]?.message ?? '', /files changed since this folder was trusted \(\.mcp\.json\)/)
})

test('a file by itself makes a project of the nearest folder that has it, where its programs start, and keeps no data there', async () => {
  const { options, work } = makeMachine({ '.mcp.json': { mcpServers: { files: local('x') } } })
  mkdirSync(join(work, 'below'))
  const loaded = await loadConfig({ ...options, cwd: join(work, 'below'), trust: true })
  assert.equal(plain(loaded.config.mcpServers), { files: { ...local('x'), cwd: work } })
  assert.is(loaded.projectDir, undefined)
})

test('a server that is neither command nor address, or both, is refused with its path', async () => {
  const wrong: [object, RegExp][] = [
    [{}, /\/mcpServers\/x needs exactly one of "command" and "url"/],
    [{ command: 'a', url: 'http://b' }, /\/mcpServers\/x needs exactly one of/],
    [{ url: 'ftp://b' }, /\/mcpServers\/x\/url must be a URL that begins with http/],
    [{ command: 'a', args: 'b' }, /\/mcpServers\/x\/args must be array/],
    [
      { command: 'a', tools: { alow: [] } },
      /\/mcpServers\/x\/tools\/alow is not a known setting; did you mean "allow"/,
    ],
  ]
  for (const [server, message] of wrong) {
    const { options } = makeMachine({ 'svc.config.json': { mcpServers: { x: server } } })
    assert.match((await failure(loadConfig({ ...options, trust: true }))).message, message)
    const other = makeMachine({ '.mcp.json': { mcpServers: { x: server, good: { command: 'a' } } } })
    const { config, problems } = await loadConfig({ ...other.options, trust: true })
    assert.match(problems[0]?.error.message ?? '', message)
    assert.equal(problems[0]?.defines, { kind: 'server', id: 'x' })
    assert.equal(Object.keys(config.mcpServers ?? {}), ['good'])
  }
})

test('a file that cannot be used is a problem that names it, and the run goes on', async () => {
  const other = makeFolder({ 'servers.json': { mcpServers: { far: local('x') } } })
  const cases: [(file: string) => void, RegExp, RegExp][] = [
    [(file) => writeFileSync(file, '{ "mcpServers": '), /\.mcp\.json: is not JSON: .*line 1, column 17/, /is not JSON/],
    [(file) => writeFileSync(file, '[]'), /must be an object with "mcpServers", not a list/, /must be an object/],
    [(file) => writeFileSync(file, '{"servers":{}}'), /\/mcpServers must be an object of servers/, /\/mcpServers must/],
    [(file) => writeFileSync(file, ' '.repeat(10 << 20)), /is larger than 1048576 bytes/, /is larger than/],
    [(file) => execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', file]), /is not a regular file/, /is not a regular file/],
    [(file) => symlinkSync(join(other, 'gone'), file), /cannot be read \(ENOENT\)/, /cannot be read \(ENOENT\)/],
  ]
  for (const [make, trusted, untrusted] of cases) {
    const { options, work } = makeMachine()
    make(join(work, '.mcp.json'))
    const { problems, config } = await loadConfig({ ...options, trust: true })
    assert.match(problems[0]?.error.message ?? '', trusted)
    assert.is(problems[0]?.error.code, 'config_invalid')
    assert.equal(plain(config.mcpServers), {})
    assert.match((await listRuns(work))[0] ?? '', untrusted)
  }
  const { options, work } = makeMachine()
  symlinkSync(join(other, 'servers.json'), join(work, '.mcp.json'))
  const { skipped } = await loadConfig(options)
  assert.is(skipped[0]?.reason, 'it is a link that leads out of the folder')
  assert.equal(skipped[0]?.defines, [])
})

test.run()
