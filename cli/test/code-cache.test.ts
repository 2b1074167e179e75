import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultCacheDir } from '@svc/core/config'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openCodeCache } from '../src/frame/code-cache.ts'

const test = suite('code cache')

const folder = mkdtempSync(join(tmpdir(), 'svc-code-cache-'))
const stated = { XDG_CACHE_HOME: folder }
test.after.each(() => rmSync(join(folder, 'svc'), { recursive: true, force: true }))
test.after(() => rmSync(folder, { recursive: true }))

test('compiled code is kept for its owner alone, in the folder of compiled configs, which tools do not write to', () => {
  assert.is(openCodeCache(stated), join(defaultCacheDir(stated), 'v8'))
  assert.is(statSync(join(folder, 'svc')).mode & 0o777, 0o700)
  const { HOME } = process.env
  process.env.HOME = folder
  try {
    for (const XDG_CACHE_HOME of [undefined, '', 'relative'])
      assert.is(openCodeCache({ XDG_CACHE_HOME }), join(defaultCacheDir({ HOME: folder, XDG_CACHE_HOME }), 'v8'))
  } finally {
    process.env.HOME = HOME
  }
})

test('no compiled code is taken from a folder that others can write to, that is a link, or that cannot be made', () => {
  for (const open of ['svc', 'svc/code', 'svc/code/v8']) {
    mkdirSync(join(folder, 'svc/code/v8'), { recursive: true })
    chmodSync(join(folder, open), 0o777)
    assert.is(openCodeCache(stated), undefined, open)
    rmSync(join(folder, 'svc'), { recursive: true })
  }
  symlinkSync('elsewhere', join(folder, 'svc'))
  assert.is(openCodeCache(stated), undefined)
  mkdirSync(join(folder, 'elsewhere'))
  assert.is(openCodeCache(stated), undefined)
  assert.is(openCodeCache({ XDG_CACHE_HOME: '/dev/null' }), undefined)
})

test.run()
