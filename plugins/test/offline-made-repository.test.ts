import { rmSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ask } from './fixtures/ask-offline.ts'
import { checkCitations } from './fixtures/check-citations.ts'
import { type MadeRepository, makeRepository } from './fixtures/make-repository.ts'

const test = suite('offline on repositories with random names')

const SEEDS = [1, 7, 42]
const made = new Map<number, MadeRepository>()
test.before(() => {
  for (const seed of SEEDS) made.set(seed, makeRepository(seed))
})
test.after(() => {
  for (const { folder } of made.values()) rmSync(folder, { recursive: true, force: true })
})

/** Asks, checks that every citation holds, and returns the answer. */
async function answer(repository: MadeRepository, question: string): Promise<string> {
  const asked = await ask(repository.folder, question)
  const { claims, problems } = checkCitations(asked.text, repository.folder)
  assert.equal(problems, [], `${question}\n${asked.text}`)
  assert.ok(claims.length > 0, `nothing is cited: ${question}\n${asked.text}`)
  assert.ok(asked.turns <= 6, `${asked.turns} turns: ${question}`)
  assert.equal(asked.failed, 0, `a call failed: ${question}`)
  return asked.text
}

function includes(text: string, ...parts: readonly (string | number)[]): void {
  for (const part of parts) assert.ok(text.includes(String(part)), `"${part}" is missing in:\n${text}`)
}

for (const seed of SEEDS) {
  const repository = (): MadeRepository => {
    const found = made.get(seed)
    if (!found) throw new Error('not made')
    return found
  }

  test(`explains the architecture with folders, entry point, imports and scripts (seed ${seed})`, async () => {
    const r = repository()
    const text = await answer(r, 'Explain the architecture of this repository')
    includes(
      text,
      r.name,
      r.version,
      r.description,
      ...r.areas.map((area) => `src/${area}/`),
      ...Object.keys(r.scripts),
      ...Object.keys(r.dependencies),
    )
    includes(
      text,
      `\`src/${r.areas[0]}/\` imports \`src/${r.areas[1]}/\``,
      `\`src/${r.areas[1]}/\` imports \`src/${r.areas[2]}/\``,
    )
    includes(text, ...r.functions.map((item) => item.name), r.className)
  })

  test(`says what the package is for (seed ${seed})`, async () => {
    const r = repository()
    includes(await answer(r, 'What does this package do?'), r.description, r.topic.word)
  })

  test(`gives version, licence, author, scripts and dependencies (seed ${seed})`, async () => {
    const r = repository()
    includes(
      await answer(r, 'What are the version, the license and the author of this package?'),
      r.version,
      r.license,
      r.author,
    )
    includes(await answer(r, 'List the scripts'), ...Object.entries(r.scripts).flat())
    includes(await answer(r, 'Which dependencies does it have?'), ...Object.entries(r.dependencies).flat())
  })

  test(`finds entry points and what they export (seed ${seed})`, async () => {
    const r = repository()
    includes(await answer(r, 'What are the entry points?'), './src/index.ts', ...r.functions.map((item) => item.name))
  })

  test(`finds functions and classes of TypeScript and Python with their documentation (seed ${seed})`, async () => {
    const r = repository()
    for (const item of r.functions) {
      const text = await answer(r, `Where is ${item.name} defined?`)
      includes(text, `${item.file}:${item.line}`, item.doc)
    }
    includes(
      await answer(r, `What does the function ${r.python.function} do?`),
      r.python.doc,
      `${r.python.file}:${r.python.line}`,
    )
    includes(
      await answer(r, `What methods does the class ${r.className} have?`),
      ...r.methods,
      `${r.classFile}:${r.classLine}`,
    )
    includes(await answer(r, `Where is ${r.python.class}?`), r.python.file)
  })

  test(`says which files import and mention a name (seed ${seed})`, async () => {
    const r = repository()
    const text = await answer(r, `Which files import ${r.areas[1]}Value?`)
    includes(text, r.functions[0]?.file ?? '', '1 file')
    includes(await answer(r, `Where is "${r.topic.word}" mentioned?`), 'README.md', 'package.json', r.topic.file)
    includes(
      await answer(r, `Which files import ${r.functions[2]?.file.split('/').at(-1)}?`),
      r.functions[1]?.file ?? '',
      'src/index.ts',
    )
  })

  test(`summarises a file and a folder (seed ${seed})`, async () => {
    const r = repository()
    includes(await answer(r, `Summarise ${r.classFile}`), r.className, ...r.methods.slice(0, 0), r.topic.word)
    includes(
      await answer(r, `What is in the src/${r.areas[0]} folder?`),
      `${r.areas[0]}.ts`,
      r.classFile.split('/').at(-1) ?? '',
    )
  })

  test(`counts files, lines and functions (seed ${seed})`, async () => {
    const r = repository()
    includes(await answer(r, 'How many files are there?'), `${r.files.length} files`)
    const typescript = r.files.filter((file) => file.endsWith('.ts')).length
    includes(await answer(r, 'How many TypeScript files are in src?'), `${typescript} \`.ts\` files`)
    includes(await answer(r, `How many lines does ${r.csv.file} have?`), `${r.csv.rows.length + 1} lines`)
    includes(
      await answer(r, `How many functions does ${r.functions[0]?.file} define?`),
      '1 function',
      r.functions[0]?.name ?? '',
    )
  })

  test(`calculates over a CSV file (seed ${seed})`, async () => {
    const r = repository()
    const [first, group, size] = r.csv.columns
    const numbers = r.csv.rows.map((row) => row[2])
    const sum = numbers.reduce((total, number) => total + number, 0)
    includes(await answer(r, `How many rows does ${r.csv.file} have?`), `${numbers.length} rows`)
    includes(await answer(r, `What is the sum of ${size} in ${r.csv.file}?`), ` ${sum}`)
    includes(
      await answer(r, `What is the average ${size} in ${r.csv.file}?`),
      String(Number((sum / numbers.length).toPrecision(12))),
    )
    const most = Math.max(...numbers)
    const top = r.csv.rows.find((row) => row[2] === most)
    includes(await answer(r, `Which ${first} has the highest ${size} in ${r.csv.file}?`), most, top?.[0] ?? '')
    const groups = new Map<string, number>()
    for (const row of r.csv.rows) groups.set(row[1], (groups.get(row[1]) ?? 0) + row[2])
    const grouped = await answer(r, `What is the total ${size} per ${group} in ${r.csv.file}?`)
    for (const [name, total] of groups) includes(grouped, `\`${name}\`: ${total}`)
    const one = r.csv.rows[0]?.[1] ?? ''
    includes(
      await answer(r, `How many rows of ${r.csv.file} have the ${group} ${one}?`),
      `${r.csv.rows.filter((row) => row[1] === one).length} row`,
    )
    includes(await answer(r, `Which columns does ${r.csv.file} have?`), ...r.csv.columns)
  })

  test(`reads values and lists of a JSON file (seed ${seed})`, async () => {
    const r = repository()
    includes(await answer(r, `What is the value of ${r.json.key}.${r.json.inner} in ${r.json.file}?`), r.json.value)
    includes(await answer(r, `How many ${r.json.list} are in ${r.json.file}?`), r.json.items.length)
    const sizes = r.json.items.map((item) => item.size)
    includes(
      await answer(r, `What is the largest size among the ${r.json.list} in ${r.json.file}?`),
      Math.max(...sizes),
    )
  })

  test(`quotes the sentence that answers a free question (seed ${seed})`, async () => {
    const r = repository()
    includes(await answer(r, `When is a ${r.topic.word} closed?`), r.topic.sentence)
  })

  test(`says plainly that it found nothing (seed ${seed})`, async () => {
    const r = repository()
    for (const question of [
      'Where is quuxFrobnicator defined?',
      'Which files import left-pad-zzz?',
      'How does the xylograph zymurgy work?',
    ]) {
      const { text } = await ask(r.folder, question)
      assert.match(text, /I found no(?:thing)?\b/)
      assert.equal(checkCitations(text, r.folder).problems, [])
      assert.is(checkCitations(text, r.folder).claims.length, 0, text)
    }
  })

  test(`fills a schema from the same evidence, and declines what it does not know (seed ${seed})`, async () => {
    const r = repository()
    const properties = { name: { type: 'string' }, version: { type: 'string' }, license: { type: 'string' } }
    const filled = await ask(r.folder, 'Give name, version and license of this package', {
      outputSchema: { type: 'object', properties, required: ['name', 'version', 'license'] },
    })
    assert.equal(JSON.parse(filled.text), { name: r.name, version: r.version, license: r.license })
    const declined = await ask(r.folder, 'Who is the president of the moon?', {
      outputSchema: { type: 'object', properties: { president: { type: 'string' } }, required: ['president'] },
    })
    assert.match(declined.text, /^I could not answer this: /)
  })

  test(`gives the same answer to the same question (seed ${seed})`, async () => {
    const r = repository()
    const question = 'Explain the architecture of this repository'
    assert.equal(await ask(r.folder, question), await ask(r.folder, question))
  })
}

test.run()
