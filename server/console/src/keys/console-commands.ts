import { useLocation } from 'preact-iso'
import { canNotify, isNotifying, toggleNotifications } from '../notify/notify.ts'
import { isBoxOpen } from '../runs/new-run/new-run-state.ts'
import { nextTheme, theme } from '../theme.ts'
import { VIEWS } from '../views.ts'
import { type Command, useCommands } from './commands.ts'
import { isHelpOpen, isPaletteOpen } from './overlays.ts'

/** What can be done on every page. */
export function useConsoleCommands(): void {
  const { route } = useLocation()
  const begin: Command[] = [
    { name: 'New chat', words: 'begin conversation ask', group: 'Begin', keys: 'c', run: () => route('/console/') },
    {
      name: 'New run',
      words: 'begin task start',
      group: 'Begin',
      keys: 'n',
      run: () => {
        isBoxOpen.value = true
        route('/console/runs')
        requestAnimationFrame(() => document.querySelector<HTMLElement>('.new-run textarea')?.focus())
      },
    },
    { name: 'New agent', words: 'begin make profile', group: 'Begin', run: () => route('/console/agents?new=1') },
  ]
  const go = VIEWS.map(
    ({ href, name, letter }): Command => ({ name, group: 'Go to', keys: `g ${letter}`, run: () => route(href) }),
  )
  useCommands([
    ...begin,
    ...go,
    {
      name: 'Commands, pages and runs',
      words: 'palette search find',
      group: 'Console',
      keys: 'mod+k',
      run: () => (isPaletteOpen.value = true),
    },
    {
      name: 'Keyboard shortcuts',
      words: 'help keys',
      group: 'Console',
      keys: '?',
      run: () => (isHelpOpen.value = true),
    },
    {
      name: 'Change the colours',
      words: `theme dark light system ${theme.value}`,
      group: 'Console',
      run: nextTheme,
    },
    ...(canNotify
      ? [
          {
            name: isNotifying.value ? 'Stop notifying me' : 'Notify me of approvals and ended runs',
            words: 'notification',
            group: 'Console',
            run: () => void toggleNotifications(),
          } as const,
        ]
      : []),
  ])
}
