/** Every `svc` command in a page's shell block is one that the command line takes. They are parsed here, not run. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readCommandLine } from '../src/frame/command-line.ts'
import { SPECS } from '../src/frame/specs.ts'

const test = suite('documented commands')
const root = fileURLToPath(new URL('../..', import.meta.url))

function pages(folder = root): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return /^(node_modules|dist|\..*)$/.test(entry.name) ? [] : pages(path)
    return entry.name.endsWith('.md') ? [path] : []
  })
}

/** The words of each `svc` of a line, as a shell would hand them over. */
function commandsOf(line: string): string[][] {
  const words = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\s#.*)|([^\s"']+)/g)].flatMap(
    ([, double, single, comment, bare]) => (comment === undefined ? [double ?? single ?? bare ?? ''] : []),
  )
  const commands: string[][] = []
  let current: string[] | undefined
  for (const word of words) {
    if (word === 'svc') {
      current = []
      commands.push(current)
    } else if (/^(?:[|;]|&&|\|\||>)$/.test(word)) current = undefined
    else current?.push(word)
  }
  return commands
}

test('every svc command in a shell block of a page has a name and options that exist', () => {
  const wrong: string[] = []
  let count = 0
  for (const page of pages()) {
    for (const [, block = ''] of readFileSync(page, 'utf8').matchAll(/```(?:sh|bash)\n(.*?)```/gs)) {
      for (const line of block.replaceAll('\\\n', ' ').split('\n')) {
        // In other lines `svc` is the name of a user, a unit or a database.
        if (!/(?:^|[|&;]|^export .*&&|npx)\s*(?:[A-Z_]+=\S*\s+)*svc\s/.test(line)) continue
        for (const words of commandsOf(line)) {
          count++
          try {
            readCommandLine(words, SPECS)
          } catch (thrown) {
            wrong.push(`${relative(root, page)}: ${line}: ${(thrown as Error).message}`)
          }
        }
      }
    }
  }
  assert.equal(wrong, [])
  assert.ok(count >= 50, `${count} commands were found`)
})

test.run()
