/**
 * Runs every test file in a process of its own, two at once for each core, on one bundle of all of them.
 *
 * uvu passes silently when a hook throws, a file forgets `.run()`, or a pattern matches nothing, and it has no time-out.
 * So a file counts as passed only when its process exits 0, ran at least one test, and passed all of them. One that has
 * printed nothing for a very long time hangs, and is stopped, also one that goes on printing for half an hour. A process that
 * a file leaves behind and that holds its output is stopped and named. An import that
 * leads nowhere fails the files that need it; when a file cannot be parsed, all run on their sources, so that it fails alone.
 *
 * Property tests start from one fixed seed, and SVC_SEED names another. SVC_NIGHTLY=1 takes a new one, and is the one switch
 * for what takes long: more samples, kills and combinations.
 *
 * Usage: node .tools/test.mjs [part of a path ...]
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { availableParallelism } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { buildTests, removeBuild } from './build-tests.mjs'
import { root } from './packages.mjs'

const FIXED_SEED = 1
/** Half of the time of all files is waiting, for other processes and for limits to pass. */
const FILES_PER_CORE = 2
const isNightly = process.env.SVC_NIGHTLY === '1'
/** uvu prints a mark after each test: so long, no test takes. */
const hangMs = isNightly ? 3_600_000 : 600_000
const longestMs = 3 * hangMs
/** For what a file printed last to arrive, and for processes that it told to stop. */
const goneMs = 10_000
/** How long each file took when it ran last. */
const TIMES = join(root, 'node_modules', '.cache', 'svc-test-times.json')
const seed = Number(process.env.SVC_SEED || (isNightly ? Date.now() % 2 ** 31 : FIXED_SEED))
const wanted = process.argv.slice(2)

function find(folder, found = []) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === 'node_modules' || entry.name === 'dist' || entry.name.startsWith('.')) continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) find(path, found)
    else if (entry.name.endsWith('.test.ts')) found.push(relative(root, path))
  }
  return found
}

/** Arguments for node that run a test file. */
function argumentsFor(file, build) {
  const text = readFileSync(join(root, file), 'utf8')
  const usesProperties = text.includes("from 'fast-check'")
  const usesStacks = text.includes('.stack') // whose places are to be those of the sources
  return [
    '--conditions=@svc/source',
    ...(usesProperties ? ['--import', './.tools/property-seed.mjs'] : []),
    ...(build === undefined
      ? ['--import', 'tsx', file]
      : [...(usesStacks ? ['--enable-source-maps'] : []), join(build, file.replace(/\.ts$/, '.js'))]),
  ]
}

function readTimes() {
  try {
    return JSON.parse(readFileSync(TIMES, 'utf8'))
  } catch {
    return {}
  }
}

/** As it took when it ran last; before that large files are taken for long ones. */
function lengthOf(file) {
  return times[file] ?? statSync(join(root, file)).size
}

function writeTimes(times) {
  mkdirSync(dirname(TIMES), { recursive: true })
  writeFileSync(TIMES, `${JSON.stringify(times)}\n`)
}

/** Tests reach nothing but this machine: a list of certificates would cost each process a tenth of a second. */
const { NODE_EXTRA_CA_CERTS: _, ...variables } = process.env

function runFile(file, build) {
  return new Promise((resolve) => {
    const started = performance.now()
    const child = spawn(process.execPath, argumentsFor(file, build), {
      cwd: root,
      env: {
        ...variables,
        SVC_TEST_BUILD: build ?? '',
        SVC_TEST_FILE: file,
        SVC_SEED: String(seed),
        FORCE_COLOR: '0',
        NO_COLOR: '1',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    let output = ''
    let hangsIn
    let waiting
    let left = ''
    const end = (why) => {
      const ended = output.match(/[•✘](?=\s)/g)?.length ?? 0
      hangsIn = `${/^ +Duration:/m.test(output) ? 'after its last test' : `in test ${ended + 1}`}: ${why}`
      stop(-child.pid)
    }
    const timer = setTimeout(end, hangMs, `nothing was printed for ${hangMs / 1000} s`)
    const longest = setTimeout(end, longestMs, `it went on for ${longestMs / 1000} s`)
    const read = (chunk) => {
      output += chunk
      timer.refresh()
    }
    child.stdout.setEncoding('utf8').on('data', read)
    child.stderr.setEncoding('utf8').on('data', read)
    // The pipes close when the last process that holds them has ended, and one in a group of its own is not stopped with the file's.
    child.on('exit', () => {
      stop(-child.pid) // whatever the test left running
      waiting = setTimeout(() => {
        left = endLeftBy(file) || 'what cannot be found'
        child.stdout.destroy()
        child.stderr.destroy()
      }, goneMs)
    })
    child.on('close', (code) => {
      for (const each of [timer, longest, waiting]) clearTimeout(each)
      const count = (name) =>
        [...output.matchAll(new RegExp(`^\\s+${name}:\\s+(\\d+)`, 'gm'))].reduce(
          (sum, match) => sum + Number(match[1]),
          0,
        )
      const total = count('Total')
      const passed = count('Passed')
      const reason = hangsIn
        ? `hangs ${hangsIn}`
        : total === 0
          ? 'ran no test'
          : code !== 0
            ? `exit code ${code}`
            : passed !== total
              ? 'tests failed'
              : ''
      resolve({
        file,
        total: Math.max(total, 1),
        passed: reason && passed === total ? Math.max(0, total - 1) : passed,
        reason,
        left,
        output,
        ms: performance.now() - started,
      })
    })
  })
}

/** Places in the build as places in the sources. Node could do this too, but would read all maps of all tests. */
function toSources(output, build) {
  if (build === undefined) return output
  return output.replaceAll(/(?:file:\/\/)?(\/[^\s():]+\.js):(\d+):(\d+)/g, (place, path, line, column) => {
    if (!path.startsWith(build) || !existsSync(`${path}.map`)) return place
    const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')))
    const { originalSource, originalLine, originalColumn } = map.findEntry(Number(line) - 1, Number(column) - 1)
    if (originalSource === undefined) return place
    return `${relative(root, join(dirname(path), originalSource))}:${originalLine + 1}:${originalColumn + 1}`
  })
}

async function tryBuild() {
  try {
    const { folder, problem } = await buildTests(files)
    if (problem !== undefined) {
      console.log(`FAIL  wrong imports: ${problem.message}`)
      results.push({ passed: 0, total: 1 })
    }
    return folder
  } catch (error) {
    console.log(`the tests were not built, so each runs on its sources: ${error.message}`)
    return undefined
  }
}

/** @param pid of a process; negative for the group that it leads */
function stop(pid) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // it is gone
  }
}

/** Kills the processes that a file left in groups of their own, as far as /proc shows them. @returns their commands. */
function endLeftBy(file) {
  const read = (pid, name) => {
    try {
      return readFileSync(`/proc/${pid}/${name}`, 'utf8').split('\0')
    } catch {
      return [] // it has ended, or is another user's
    }
  }
  const left = (existsSync('/proc') ? readdirSync('/proc') : []).filter((pid) =>
    read(pid, 'environ').includes(`SVC_TEST_FILE=${file}`),
  )
  const commands = left.map((pid) => read(pid, 'cmdline').join(' ').trim())
  for (const pid of left) stop(Number(pid))
  return commands.join(', ')
}

const times = readTimes()
const files = find(root)
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort((a, b) => lengthOf(b) - lengthOf(a) || a.localeCompare(b)) // the longest first: none is left alone at the end
const results = []
const build = files.length === 0 ? undefined : await tryBuild()
const queue = [...files]
await Promise.all(
  Array.from({ length: FILES_PER_CORE * availableParallelism() }, async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      const result = await runFile(file, build)
      results.push(result)
      times[file] = Math.round(result.ms)
      const seconds = (result.ms / 1000).toFixed(1).padStart(5)
      console.log(
        `${result.reason ? 'FAIL' : 'ok  '} ${seconds}s ${String(result.passed).padStart(3)}/${result.total} ${file}${result.reason ? `: ${result.reason}` : ''}`,
      )
      if (result.left) console.log(`    | left its output to ${result.left}`)
      if (result.reason) console.log(toSources(result.output, build).replace(/^/gm, '    | '))
    }
  }),
)

removeBuild()
writeTimes(times)
const faults = results.flatMap(({ output = '' }) => output.match(/\| .+ of \d+ \| \d+ \|$/gm) ?? [])
if (faults.length > 0) console.log(['| fault | places tried | violations |', '|---|---|---|', ...faults].join('\n'))
const passed = results.reduce((sum, { passed: n }) => sum + n, 0)
const failed = results.reduce((sum, { passed: n, total }) => sum + total - n, 0)
if (files.length === 0) console.log(`no test file matches ${wanted.join(', ')}`)
if (isNightly || failed > 0) console.log(`property tests started from SVC_SEED=${seed}`)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed > 0 || passed === 0 ? 1 : 0) // whatever the build still holds
