int before;
int after = wrong;
