import { MantineThemeProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';

/** Shows notifications. Labels their close button, which Mantine leaves without an accessible name. */
export function Notices() {
  const { t } = useTranslation('shared');
  const named = { Notification: { defaultProps: { closeButtonProps: { 'aria-label': t('close') } } } };
  return (
    <MantineThemeProvider inherit theme={{ components: named }}>
      <Notifications position="bottom-right" autoClose={4_000} limit={3} />
    </MantineThemeProvider>
  );
}
