/** What decides by the spelling of paths, for Windows, on any system. */
import { win32 } from 'node:path'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { homeFolder } from '../src/config/find/paths.ts'
import { applies } from '../src/runtime/calls/policy/match-rule.ts'

const test = suite('Windows')

const home = 'C:\\Users\\Ada'
const on = (platform: NodeJS.Platform, env: Record<string, string>): string[] =>
  (['config', 'data', 'cache'] as const).map((kind) =>
    homeFolder(kind, env, { platform, home: platform === 'win32' ? home : '/home/ada' }),
  )

test('folders of a person are where Windows has them, and where a variable says', () => {
  assert.equal(on('win32', { APPDATA: 'D:\\Roaming', LOCALAPPDATA: 'D:\\Local', HOME: '/c/Users/Ada' }), [
    'D:\\Roaming\\svc',
    'D:\\Local\\svc',
    'D:\\Local\\svc\\cache',
  ])
  assert.equal(on('win32', { APPDATA: 'relative' }), [
    'C:\\Users\\Ada\\AppData\\Roaming\\svc',
    'C:\\Users\\Ada\\AppData\\Local\\svc',
    'C:\\Users\\Ada\\AppData\\Local\\svc\\cache',
  ])
  assert.is(on('win32', { XDG_CONFIG_HOME: 'E:\\x', APPDATA: 'D:\\Roaming' })[0], 'E:\\x\\svc')
  assert.equal(on('linux', { APPDATA: '/x' }), [
    '/home/ada/.config/svc',
    '/home/ada/.local/share/svc',
    '/home/ada/.cache/svc',
  ])
  assert.equal(on('darwin', { HOME: '/h', XDG_DATA_HOME: '/d' })[1], '/d/svc')
})

const workspace = 'C:\\Shop\\Project'
const isDenied = (glob: string, path: string): boolean =>
  applies({ tool: '*', decision: 'deny', paths: [glob] }, { tool: 'read_file', args: { path } }, workspace, win32)
const isAllowed = (glob: string, path: string): boolean =>
  applies(
    { tool: '*', decision: 'allow', paths: [glob] },
    { tool: 'read_file', args: {}, touched: { paths: [path] } },
    workspace,
    win32,
  )

test('a rule about paths holds for every spelling of a path', () => {
  const spellings = [
    'secret/key.txt',
    'secret\\key.txt',
    '.\\secret\\KEY.txt',
    'other\\..\\Secret/key.txt',
    'c:\\shop\\project\\secret\\key.txt',
    'C:/Shop/Project/secret/key.txt',
    'file:///C:/Shop/Project/secret/key.txt',
  ]
  for (const path of spellings) {
    for (const glob of [
      'secret/**',
      'secret\\**',
      '**/key.txt',
      'C:\\Shop\\Project\\secret',
      'c:/shop/project/secret/*',
    ])
      assert.ok(isDenied(glob, path), `${glob} and ${path}`)
    assert.ok(isAllowed('secret/**', path), path)
    assert.not(isAllowed('src/**', path), path)
    assert.not(isDenied('src/**', path), path)
  }
})

test('letters and slashes of a path never decide what a rule says to it', () => {
  const name = fc.constantFrom('a', 'B', 'src', 'Secret', 'x.y')
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), fc.infiniteStream(fc.boolean()), (names, coins) => {
      const draw = (): boolean => coins.next().value ?? false
      const spelled = names
        .map((part) => (draw() ? part.toUpperCase() : part.toLowerCase()))
        .reduce((path, part) => `${path}${draw() ? '/' : '\\'}${part}`)
      for (const glob of ['src/**', '**/secret', 'a/*', '*.y'])
        assert.is(isDenied(glob, spelled), isDenied(glob, names.join('/')), `${glob} ${spelled}`)
    }),
  )
})

test.run()
