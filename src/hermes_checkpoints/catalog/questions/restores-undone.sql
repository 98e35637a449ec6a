-- Which restores were taken back?
SELECT r.working_directory, r.role, r.target, r.started_at, r.written, u.started_at AS undone_at,
  u.role AS undone_by
FROM restore_list AS r JOIN restore_list AS u ON u.restore_id = r.undone_by
ORDER BY r.restore_id DESC;
