import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { Brand } from '#src/shared/ui/brand.tsx';
import { useAfterMount } from '#src/shared/ui/use-made-menu.ts';

export interface SideDrawerProps {
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** The sidebar as a drawer, where the page leaves no space for it. */
export function SideDrawer({ isOpen, onClose, children }: SideDrawerProps) {
  const { t } = useTranslation('shared');
  const app = useTranslation('app');
  return (
    <Drawer
      opened={useAfterMount(isOpen)}
      onClose={onClose}
      title={
        <>
          <span className="spoken">{app.t('nav.menu')}</span>
          <span aria-hidden="true">
            <Brand />
          </span>
        </>
      }
      size={280}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      {children}
    </Drawer>
  );
}
