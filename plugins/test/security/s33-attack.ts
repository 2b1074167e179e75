/** Files that something else runs or obeys later, written with `--yes`. */
import { callTools } from '../fixtures/call-tools.ts'
import { createWorkspace } from '../fixtures/tool-context.ts'

export const OBEYED = (
  'a.code-workspace .zed/tasks.json .codex/config.toml venv/lib/a.pth eslint.config.mjs vite.config.ts CLAUDE.md AGENTS.md ' +
  '.vscode/tasks.json .idea/a.xml .nvim.lua .exrc .dir-locals.el .envrc .tool-versions mise.toml .npmrc .pnpmfile.cjs .yarnrc.yml ' +
  'bunfig.toml pip.conf uv.toml poetry.toml pyproject.toml sitecustomize.py conftest.py .eslintrc.cjs .prettierrc.js ' +
  'prettier.config.js webpack.config.js webpack.prod.js rollup.config.mjs babel.config.js .babelrc postcss.config.cjs ' +
  'tailwind.config.ts jest.config.ts vitest.config.mts Makefile justfile Taskfile.yml .husky/pre-commit lefthook.toml ' +
  '.pre-commit-config.yaml .github/workflows/a.yml .gitlab-ci.yml .circleci/config.yml .woodpecker.yml Dockerfile ' +
  'web.dockerfile .devcontainer.json build.rs .cargo/config.toml build.gradle.kts gradle/wrapper/gradle-wrapper.properties ' +
  '.mvn/maven.config mvnw Gemfile Rakefile a.gemspec composer.json .cursor/mcp.json .cursorrules .gemini/settings.json ' +
  '.aider.conf.yml .github/copilot-instructions.md .mcp.json GEMINI.md .windsurfrules opencode.json .claude-plugin/plugin.json ' +
  'SKILL.md AGENT.md review.agent.md .hg/hgrc a.desktop autorun.inf .Rdata .perldb .proverc .xonshrc .luarc.json ' +
  'hie.yaml latexmkrc toxfile.py hatch_build.py gunicorn.conf.py ansible.cfg Snakefile dune config.ru Capfile rector.php ' +
  'eleventy.config.mjs .sequelizerc tsdown.config.ts Dangerfile.ts cdk.json tauri.conf.json book.toml bb.edn magefiles/a.go ' +
  '.jvmopts .bundle/config renovate.json .readthedocs.yaml .goreleaser.yaml buildkite.yml uv.lock Cargo.lock'
).split(' ')

/** The same by names that some systems take for them. */
export const VARIANTS = (path: string): string[] => [
  path.toUpperCase(),
  `deep/er/${path}`,
  path.replace(/(?<=[^/])$/, '.'),
  path.replace(/[a-z]/, (sign) => `${sign}\u200b`.replace('\u200b', '\u200d')),
]

/** The paths that are written unasked. */
export async function writtenUnasked(paths: readonly string[]): Promise<string[]> {
  const { workspace } = await createWorkspace()
  const calls = paths.map((path) => ({ tool: 'write_file', args: { path, content: 'evil' } }))
  const { outcomes } = await callTools(workspace, calls, {
    run: { approval: 'allow-write' },
    config: { policy: { rules: [{ tool: '*', decision: 'allow' }] } },
  })
  return paths.filter((_, index) => outcomes[index]?.code !== 'approval_required')
}

export const attack = (): Promise<string[]> => writtenUnasked(OBEYED)
