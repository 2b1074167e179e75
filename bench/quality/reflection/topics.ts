import type { JsonSchema } from '@svc/core'
import type { EventScript } from '../../../core/test/fixtures/events.ts'
import { between, pick } from '../../../core/test/fixtures/random.ts'
import { read as toRead } from '../../../core/test/fixtures/story.ts'

/**
 * Writes a task, what the tools returned, and an answer as a careful model would give it: rounded, converted and added-up
 * numbers, ordinals, citations, hedges.
 */
interface Topic {
  json?: boolean
  /** Whether its numbers come from tools. */
  numbers?: boolean
  make(random: () => number, script: EventScript): { task: string; output: string; outputSchema?: JsonSchema }
}

const read = (script: EventScript, path: string, text: string): void => toRead(path, text)(script)

export const NAMES = [
  'orchid',
  'falcon',
  'granite',
  'harbor',
  'juniper',
  'lantern',
  'meadow',
  'saffron',
  'tundra',
  'willow',
]
const CITIES = ['Lisbon', 'Oslo', 'Turin', 'Porto', 'Ghent', 'Malmo', 'Basel', 'Graz', 'Lyon', 'Cork']
const LICENCES = ['MIT', 'Apache-2.0', 'BSD-3-Clause', 'ISC']

export const TOPICS: Readonly<Record<string, Topic>> = {
  product: {
    numbers: true,
    make(random, script) {
      const a = between(random, 12, 99)
      const b = between(random, 12, 99)
      script.tool('calculate', { expression: `${a}*${b}` }, { result: String(a * b) })
      const output = pick(random, [
        `${a * b}`,
        `The result is ${a * b}.`,
        `${a} × ${b} = ${a * b}`,
        `I worked it out: **${a * b}**.`,
      ])
      return { task: `What is ${a}*${b}? Use the calculator.`, output }
    },
  },
  wordProblem: {
    numbers: true,
    make(random, script) {
      const boxes = between(random, 13, 40)
      const each = between(random, 21, 90)
      const sold = between(random, 100, 250)
      const left = boxes * each - sold
      script.tool('calculate', { expression: `${boxes} * ${each} - ${sold}` }, { result: { value: left } })
      return {
        task: `A shop has ${boxes} boxes of ${each} pens and sells ${sold} pens. How many pens are left?`,
        output: `There were ${boxes} × ${each} = ${boxes * each} pens. After selling ${sold}, ${boxes * each} - ${sold} = ${left} pens are left.`,
      }
    },
  },
  table: {
    numbers: true,
    make(random, script) {
      const cities = [0, 1, 2, 3].map((index) => CITIES[(index * 3 + between(random, 0, 2)) % CITIES.length] as string)
      const sales = cities.map(() => between(random, 1000, 9000))
      read(
        script,
        'data/sales.csv',
        ['city,sales', ...cities.map((city, index) => `${city},${sales[index]}`)].join('\n'),
      )
      const total = sales.reduce((sum, value) => sum + value, 0)
      script.tool('calculate', { expression: sales.join('+') }, { result: String(total) })
      const best = sales.indexOf(Math.max(...sales))
      const share = Math.round(((sales[best] as number) / total) * 1000) / 10
      return {
        task: 'Which city in data/sales.csv sells most, and what is its share of the total?',
        output: `${cities[best]} sells most: ${sales[best]} of a total of ${total.toLocaleString('en-US')}, which is about ${share} % (data/sales.csv:${best + 2}). The file lists ${cities.length} cities.`,
      }
    },
  },
  manifest: {
    numbers: true,
    make(random, script) {
      const name = `${pick(random, NAMES)}-${pick(random, NAMES)}`
      const version = `${between(random, 0, 9)}.${between(random, 0, 20)}.${between(random, 0, 30)}`
      const licence = pick(random, LICENCES)
      const node = between(random, 16, 22)
      const kilobytes = between(random, 40, 900)
      const manifest = {
        name,
        version,
        license: licence,
        main: 'dist/index.js',
        engines: { node: `>=${node}` },
        dependencies: { tapable: '^2.3.0', cosmiconfig: '^9.0.2' },
      }
      read(script, 'package.json', JSON.stringify(manifest, null, 2))
      script.tool(
        'list_files',
        { path: '.' },
        { result: `README.md\npackage.json\ndist/index.js (${kilobytes * 1000} bytes)\nsrc/index.ts` },
      )
      return {
        task: 'Describe this package. Include its version, its licence, its entry point, its dependencies and the required Node version.',
        output: [
          `${name} in short:`,
          `- Version: ${version} (package.json:3)`,
          `- Licence: ${licence}`,
          `- Entry point: \`dist/index.js\`, about ${kilobytes} kB`,
          '- Dependencies: 2, tapable and cosmiconfig',
          `- It requires Node ${node} or later.`,
        ].join('\n'),
      }
    },
  },
  links: {
    make(random, script) {
      const site = `docs.${pick(random, NAMES)}.dev`
      const page = pick(random, ['install', 'guide/start', 'reference/cli', 'faq'])
      script.tool(
        'http_fetch',
        { url: `https://${site}/` },
        {
          result: `<a href="https://${site}/${page}">Read on</a> <a href="https://${site}/about?lang=en">About us</a> The service is free for small teams.`,
        },
        { risk: 'network' },
      )
      return {
        task: `Where on https://${site} do I read on?`,
        output: pick(random, [
          `Read on at https://${site}/${page}. The page says the service is free for small teams.`,
          `See [the docs](https://${site}/${page}) for it; the start page (https://${site}) links to it, too.`,
        ]),
      }
    },
  },
  json: {
    json: true,
    numbers: true,
    make(random, script) {
      const people = [0, 1, 2].map(() => ({
        name: pick(random, NAMES),
        age: between(random, 18, 90),
        city: pick(random, CITIES),
      }))
      read(
        script,
        'people.txt',
        people.map(({ name, age, city }) => `${name} is ${age} and lives in ${city}`).join('\n'),
      )
      return {
        task: 'List the people in people.txt as JSON, an array of name, age and city.',
        output: JSON.stringify(people, null, between(random, 0, 2)),
      }
    },
  },
  schema: {
    json: true,
    make(random) {
      const title = `Trip to ${pick(random, CITIES)}`
      return {
        task: `Make a record for a trip to ${title.slice(8)}.`,
        output: JSON.stringify({
          title,
          days: between(random, 2, 20),
          stops: [pick(random, CITIES), pick(random, CITIES)],
        }),
        outputSchema: {
          type: 'object',
          required: ['title', 'days', 'stops'],
          properties: {
            title: { type: 'string' },
            days: { type: 'integer' },
            stops: { type: 'array', items: { type: 'string' } },
          },
        },
      }
    },
  },
  bullets: {
    make(random) {
      const points = [
        'Morning light sets your inner clock.',
        'A cool, dark room keeps you asleep.',
        'Coffee after noon delays the night.',
        'A fixed hour of rising helps most of all.',
      ]
      return {
        task: pick(random, [
          'How do I sleep better? Answer in four bullet points.',
          'Give me exactly 4 bullet points on sleeping better.',
          'List tips for better sleep, as four bullet points.',
        ]),
        output: points.map((point) => `${pick(random, ['-', '*'])} ${point}`).join('\n'),
      }
    },
  },
  cover: {
    make(random) {
      const place = pick(random, CITIES)
      return {
        task: `Write a short guide to ${place}. Cover transport, museums, restaurants and safety.`,
        output: [
          `Getting around ${place} is easy on foot, and public transport runs until midnight.`,
          'The museums open late on Thursdays; the modern one is worth an afternoon.',
          'Small restaurants in the side streets serve better food than those on the square.',
          'On safety: keep an eye on your bag in crowded trams, otherwise there is little to worry about.',
        ].join('\n\n'),
      }
    },
  },
  questions: {
    numbers: true,
    make(random, script) {
      const lines = between(random, 120, 900)
      const owner = pick(random, NAMES)
      read(
        script,
        'NOTES.md',
        `# Notes\nOwner: ${owner}\nThe parser has ${lines} lines.\nDeadline: 2026-03-${between(random, 10, 28)}\nBackups run nightly.`,
      )
      return {
        task: 'Answer from NOTES.md:\n1. Who is the owner?\n2. How long is the parser?\n3. When do backups run?',
        output: `1. The owner is ${owner}.\n2. The parser has ${lines} lines.\n3. Backups run nightly.`,
      }
    },
  },
  testRun: {
    numbers: true,
    make(random, script) {
      const passed = between(random, 5, 90)
      const seconds = between(random, 11, 99) / 10
      script.tool(
        'write_file',
        { path: 'src/sum.ts', content: 'export const sum = (a, b) => a + b' },
        { result: 'written' },
        { risk: 'write' },
      )
      script.tool(
        'run_command',
        { command: ['npm', 'test'] },
        { result: { exitCode: 0, stdout: `${passed} passed, 0 failed in ${Math.round(seconds * 1000)} ms` } },
        { risk: 'execute' },
      )
      return {
        task: 'Fix the sum function and run the tests.',
        output: pick(random, [
          `I updated the file src/sum.ts. All ${passed} tests pass, in ${seconds} s.`,
          `Fixed \`sum\` in src/sum.ts:1; I ran the tests and ${passed} passed.`,
        ]),
      }
    },
  },
  search: {
    numbers: true,
    make(random, script) {
      const files = NAMES.slice(0, between(random, 3, 8)).map((name) => `src/${name}.ts`)
      script.tool(
        'search_files',
        { pattern: 'console.log' },
        { result: files.map((file) => `${file}:${between(random, 2, 300)}: console.log(value)`).join('\n') },
      )
      return {
        task: 'Which source files still log to the console?',
        output: `${files.length} files call \`console.log\`:\n${files.map((file, index) => `${index + 1}. ${file}`).join('\n')}\n\nYou could add a lint rule such as no-console to keep it from coming back.`,
      }
    },
  },
  quotation: {
    make(random, script) {
      const city = pick(random, CITIES)
      read(
        script,
        'letter.txt',
        `Dear friend,\nthe winter in ${city} was long, but the harbour never froze.\nWe sail in spring.`,
      )
      return {
        task: 'What does letter.txt say about the winter? At most 40 words.',
        output: `It says that "the winter in ${city} was long, but the harbour never froze". They plan to sail in spring.`,
      }
    },
  },
  speed: {
    numbers: true,
    make(random, script) {
      const before = between(random, 40, 90) * 100
      const after = between(random, 10, 39) * 100
      script.tool(
        'run_command',
        { command: ['node', 'bench.mjs'] },
        {
          result: {
            exitCode: 0,
            stdout: `old: ${before} ms\nnew: ${after} ms\nmemory: ${between(random, 20, 90) * 1048576} bytes`,
          },
        },
        { risk: 'execute' },
      )
      return {
        task: 'Run bench.mjs and tell me how much faster the new version is.',
        output: `The new version takes ${after / 1000} s instead of ${before / 1000} s, so it is ${Math.round((before / after) * 10) / 10} times as fast. That saves ${before - after} ms per run.`,
      }
    },
  },
  explanation: {
    make(random) {
      const [task, output] = pick(random, [
        [
          'Explain in two sentences why the sky is blue.',
          'Sunlight is scattered by the molecules of the air, short waves far more than long ones. So blue reaches the eye from every side, while red goes straight on.',
        ],
        [
          'What is a monad?',
          'A monad is a type with two operations, one that wraps a value and one that chains computations. It lets pure code describe effects, e.g. failure or state, step by step.',
        ],
        [
          'In one sentence: what does DNS do?',
          'DNS turns names that people remember, such as example.org, into the addresses that machines use.',
        ],
        [
          'Compare TCP and UDP in at most 60 words.',
          'TCP sets up a connection, keeps the order, and repeats what was lost, at the price of delay. UDP just sends: no order, no repeats, little overhead. Use TCP for files and pages, UDP for calls and games.',
        ],
      ] as const)
      return { task, output }
    },
  },
  notFound: {
    make(random, script) {
      const word = pick(random, NAMES)
      script.tool('search_files', { pattern: word }, { result: '' })
      script.tool('read_file', { path: `docs/${word}.md` }, { error: `ENOENT: no such file docs/${word}.md` })
      return {
        task: `What does the documentation say about ${word}?`,
        output: `I found nothing about ${word}: no file mentions it, and docs/${word}.md does not exist.`,
      }
    },
  },
}
