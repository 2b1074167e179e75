import { effect, signal } from '@preact/signals'

const KEY = 'svc.theme'
const CHOICES = ['system', 'light', 'dark'] as const
export type Theme = (typeof CHOICES)[number]

const stored = localStorage.getItem(KEY)

/** Light or dark, or as the system wishes. */
export const theme = signal<Theme>(CHOICES.find((choice) => choice === stored) ?? 'system')

/** Counts changes of what is shown, for what is painted rather than styled. */
export const paint = signal(0)

effect(() => {
  const { value } = theme
  if (value === 'system') {
    delete document.documentElement.dataset.theme
    localStorage.removeItem(KEY)
  } else {
    document.documentElement.dataset.theme = value
    localStorage.setItem(KEY, value)
  }
  paint.value = paint.peek() + 1
})
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => void paint.value++)

export const nextTheme = (): void => {
  theme.value = CHOICES[(CHOICES.indexOf(theme.value) + 1) % CHOICES.length] ?? 'system'
}
